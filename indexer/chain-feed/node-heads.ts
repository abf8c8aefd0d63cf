import type { ChainClient } from '../../shared/chain/client.ts'

/** One node of a deployment, to be asked by itself. */
export type ChainNode = { readonly url: string; readonly client: ChainClient }

/** The last block of the chain as one node has it. */
export type NodeHead = { readonly url: string; readonly number: number; readonly timestampMs: number }

/** Asks every node for its last block; answers those that answered, the highest first. */
export async function readNodeHeads(nodes: readonly ChainNode[]): Promise<readonly NodeHead[]> {
  const answers = await Promise.allSettled(
    nodes.map(async ({ url, client }) => {
      const { number, timestamp } = await client.getBlock({ blockTag: 'latest' })
      return { url, number: Number(number), timestampMs: Number(timestamp) * 1000 }
    }),
  )
  return answers
    .flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    .toSorted((a, b) => b.number - a.number)
}
