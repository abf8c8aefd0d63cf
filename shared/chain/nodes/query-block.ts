import type { ChainNode, ChainNodes } from './chain-nodes.ts'
import type { BlockRef } from './node-report.ts'
import { queryQuorum } from './query-nodes.ts'
import type { Verdict } from './quorum.ts'

/** Asks a quorum of nodes for the block with this number. A node that does not have the block yet counts as silent. */
export function queryBlock(chain: ChainNodes, number: number): Promise<Verdict<BlockRef>> {
  return queryQuorum(chain, {
    read: ({ client }) => readBlock(client, number),
    toText: ({ hash, timestamp }) => `${hash.toLowerCase()}/${timestamp}`,
  })
}

async function readBlock(client: ChainNode['client'], number: number): Promise<BlockRef> {
  const { hash, timestamp } = await client.getBlock({ blockNumber: BigInt(number) })
  return { number, hash, timestamp: Number(timestamp) }
}
