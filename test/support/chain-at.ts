import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { nodesAt } from './nodes-at.ts'

/** The chain behind these nodes, each of an operator of its own; a quorum of one node is one, and of several two. */
export function chainAt(
  rpcUrls: readonly string[],
  { chainId = 31337, quorum = Math.min(rpcUrls.length, 2) } = {},
): ChainNodes {
  return createChainNodes({ chainId, ...nodesAt(rpcUrls, quorum) })
}
