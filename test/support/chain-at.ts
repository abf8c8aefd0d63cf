import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { nodesAt } from './nodes-at.ts'

type Options = {
  readonly chainId?: number
  readonly connect?: ((url: string) => ChainClient) | undefined
  /** Number of operators that must agree; by default 2 if there are several nodes. */
  readonly quorum?: number | undefined
}

/** Creates the nodes of a chain at these URLs, each with its own operator. */
export function chainAt(
  rpcUrls: readonly string[],
  { chainId = 31337, connect, quorum = Math.min(rpcUrls.length, 2) }: Options = {},
): ChainNodes {
  const chain = createChainNodes({ chainId, ...nodesAt(rpcUrls, quorum) })
  if (connect === undefined) return chain
  return { ...chain, nodes: chain.nodes.map((node) => ({ ...node, client: connect(node.url) })) }
}
