import type { NodesConfig } from '../nodes/chain-nodes.ts'
import { createNodeHealth } from '../nodes/node-health.ts'
import type { Voter } from '../nodes/node-report.ts'
import type { VoterGroup } from '../nodes/query-nodes.ts'
import { toPacing } from '../pacing/to-pacing.ts'
import { createTronNode, TIMEOUT_MS, type TronNode } from './tron-node.ts'

/** The HTTP API of one node, and the operator whose single vote the node shares with the operator's other nodes. */
export type TronVoter = TronNode & Voter

export type TronNodes = VoterGroup<TronVoter> & { readonly chainId: number }

/** Creates a client for the HTTP API of each node. Sends no request yet. */
export function createTronVoters({
  chainId,
  nodes,
  quorum,
  getTrusted = () => null,
  pacerOf,
}: NodesConfig): TronNodes {
  return {
    ...{ chainId, quorum, getTrusted, health: createNodeHealth() },
    nodes: nodes.map(({ url, name, operator }) => ({
      ...createTronNode({ url, chainId, timeoutMs: TIMEOUT_MS, pacing: toPacing({ pacerOf }, url) }),
      ...{ name, operator },
    })),
  }
}
