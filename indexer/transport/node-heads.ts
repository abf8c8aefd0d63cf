import { type ChainClient, createChainClient } from '../../shared/chain/client.ts'
import { isForeign } from '../../shared/chain/node-errors.ts'
import type { NodeVerdict } from '../../shared/chain/node-identity.ts'

/** One node of a deployment, to be asked by itself. */
export type ChainNode = { readonly url: string; readonly client: ChainClient }

/** Names a node to an operator: its host alone, for the rest of the URL may carry a key. */
export function nameOf({ url }: ChainNode): string {
  return new URL(url).host
}

/** Makes a client for each node of a deployment; it makes no request yet. */
export function createChainNodes(
  { chainId, rpcUrls }: { readonly chainId: number; readonly rpcUrls: readonly string[] },
  onVerdict?: (verdict: NodeVerdict) => void,
): readonly ChainNode[] {
  return rpcUrls.map((url) => ({ url, client: createChainClient({ chainId, rpcUrls: [url] }, onVerdict) }))
}

/** The last block of the chain as one node has it. */
export type NodeHead = { readonly url: string; readonly number: number; readonly timestampMs: number }

/** What the nodes of a chain say when all are asked. */
export type NodeHeads = {
  /** Of those that answered and serve the chain, the highest first. */
  readonly heads: readonly NodeHead[]
  /** The nodes that serve another chain. */
  readonly foreignUrls: readonly string[]
}

/** Asks every node for its last block; one of another chain is none of the chain's heads. */
export async function readNodeHeads(nodes: readonly ChainNode[]): Promise<NodeHeads> {
  const answers = await Promise.allSettled(nodes.map(readHead))
  const heads = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const foreign = nodes.filter((_, at) => {
    const answer = answers[at]
    return answer?.status === 'rejected' && isForeign(answer.reason)
  })
  return {
    heads: heads.toSorted((a, b) => b.number - a.number),
    foreignUrls: foreign.map(({ url }) => url),
  }
}

async function readHead({ url, client }: ChainNode): Promise<NodeHead> {
  const { number, timestamp } = await client.getBlock({ blockTag: 'latest' })
  return { url, number: Number(number), timestampMs: Number(timestamp) * 1000 }
}
