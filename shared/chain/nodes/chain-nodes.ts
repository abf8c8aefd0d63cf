import type { NodeName } from '../../domain/node-config.ts'
import { type ChainClient, createChainClient } from './client.ts'
import { createNodeHealth } from './node-health.ts'
import type { Operator, Voter } from './node-report.ts'
import type { VoterGroup } from './query-nodes.ts'
import type { ChainIdCheck } from './verify-chain-id.ts'

/** One node of a deployment, with a client that sends requests only to this node. */
export type ChainNode = Voter & { readonly url: string; readonly client: ChainClient }

/** The nodes of one deployment. */
export type ChainNodes = VoterGroup<ChainNode> & { readonly chainId: number }

/** Configuration of a deployment's nodes. */
export type NodesConfig = {
  readonly chainId: number
  /** Never empty, the preferred node first. */
  readonly nodes: readonly { readonly url: string; readonly name: NodeName; readonly operator: Operator }[]
  /** Number of operators that must agree. */
  readonly quorum: number
  /** Returns the node that currently decides alone by an operator's order, if any. */
  readonly getTrusted?: () => NodeName | null
}

/**
 * Creates a client for each node of a deployment. It sends no request yet.
 *
 * @param onVerdict - called with the chain that each node serves, after every read
 */
export function createChainNodes(
  { chainId, nodes, quorum, getTrusted = () => null }: NodesConfig,
  onVerdict?: (verdict: ChainIdCheck) => void,
): ChainNodes {
  return {
    ...{ chainId, quorum, getTrusted, health: createNodeHealth() },
    nodes: nodes.map(({ url, name, operator }) => ({
      ...{ url, name, operator },
      client: createChainClient({ chainId, rpcUrls: [url] }, onVerdict),
    })),
  }
}
