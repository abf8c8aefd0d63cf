import type { ChainClient } from '../../shared/chain/client.ts'
import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { configureNodes } from '../../shared/domain/node-config.ts'

type Options = {
  readonly chainId: number
  readonly connect?: (url: string) => ChainClient
  /** Operators that must agree; 2 of several nodes by default. */
  readonly quorum?: number | undefined
}

/** Creates the nodes of a chain by their URLs, each of an operator of its own. */
export function chainNodesAt(
  urls: readonly string[],
  { chainId, connect, quorum = Math.min(2, urls.length) }: Options,
): ChainNodes {
  const group = createChainNodes({ chainId, nodes: configureNodes(urls), quorum })
  if (connect === undefined) return group
  return { ...group, nodes: group.nodes.map((node) => ({ ...node, client: connect(node.url) })) }
}
