import type { NodeName } from '../../domain/node-config.ts'
import type { PacerOf, Pacing, Priority } from '../pacing/pacing.ts'
import { toPacing } from '../pacing/to-pacing.ts'
import { type ChainClient, createChainClient } from './client.ts'
import { createNodeHealth } from './node-health.ts'
import type { Operator, Voter } from './node-report.ts'
import type { VoterGroup } from './query-nodes.ts'
import type { ChainIdCheck } from './verify-chain-id.ts'

/** One node of a deployment, with a client that sends requests only to this node. */
export type ChainNode = Voter & {
  readonly url: string
  readonly client: ChainClient
  /** The node's budget; absent for a client that is not paced. */
  readonly pacing?: Pacing
}

export type ChainNodes = VoterGroup<ChainNode> & { readonly chainId: number }

export type NodesConfig = {
  readonly chainId: number
  /** The nodes, with the preferred node first. Never empty. */
  readonly nodes: readonly { readonly url: string; readonly name: NodeName; readonly operator: Operator }[]
  /** Number of operators that must agree. */
  readonly quorum: number
  /** Returns the node that currently decides alone (`npm run networks -- trust`), if any. */
  readonly getTrusted?: () => NodeName | null
  /** Returns the pacer of a node. If this function is missing, requests are not paced. */
  readonly pacerOf?: PacerOf | undefined
}

export type NodesUse = {
  /** Called whenever a node's chain id was read. */
  readonly onVerdict?: ((verdict: ChainIdCheck) => void) | undefined
  /** Priority of the requests; `payment` by default. */
  readonly priority?: Priority
}

/** Creates a client for each node of a deployment. Sends no request yet. */
export function createChainNodes(
  { chainId, nodes, quorum, getTrusted = () => null, pacerOf }: NodesConfig,
  { onVerdict, priority }: NodesUse = {},
): ChainNodes {
  return {
    ...{ chainId, quorum, getTrusted, health: createNodeHealth() },
    nodes: nodes.map(({ url, name, operator }) => ({
      ...{ url, name, operator, pacing: toPacing({ pacerOf, priority }, url) },
      client: createChainClient({ chainId, rpcUrls: [url], pacerOf }, { onVerdict, priority }),
    })),
  }
}
