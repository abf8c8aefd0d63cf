import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { nodesAt } from './nodes-at.ts'

type Options = {
  /** That of the local chain by default. */
  readonly chainId?: number
  readonly connect?: ((url: string) => ChainClient) | undefined
  /** Operators that must agree; 2 of several nodes by default. */
  readonly quorum?: number | undefined
}

/** Creates the nodes of a chain by their URLs, each of an operator of its own. */
export function chainAt(
  rpcUrls: readonly string[],
  { chainId = 31337, connect, quorum = Math.min(rpcUrls.length, 2) }: Options = {},
): ChainNodes {
  const chain = createChainNodes({ chainId, ...nodesAt(rpcUrls, quorum) })
  if (connect === undefined) return chain
  return { ...chain, nodes: chain.nodes.map((node) => ({ ...node, client: connect(node.url) })) }
}
