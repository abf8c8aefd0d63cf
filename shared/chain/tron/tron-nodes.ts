import type { NodesConfig } from '../nodes/chain-nodes.ts'
import { createNodeHealth } from '../nodes/node-health.ts'
import type { Voter } from '../nodes/node-report.ts'
import type { VoterGroup } from '../nodes/query-nodes.ts'
import { toPacing } from '../pacing/to-pacing.ts'
import { createTronNode, TIMEOUT_MS, type TronNode } from './tron-node.ts'

/** The HTTP API of one node of a TRON deployment, and the operator whose vote it shares. */
export type TronVoter = TronNode & Voter

/** The HTTP APIs of the nodes of a TRON deployment. */
export type TronNodes = VoterGroup<TronVoter> & { readonly chainId: number }

/** Creates a client of the HTTP API of each node of a deployment. Sends no request yet. */
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
