import { AppError } from '../../domain/errors.ts'
import type { ChainNode, ChainNodes } from './chain-nodes.ts'
import { findQuorumHeight } from './node-health.ts'
import type { BlockRef } from './node-report.ts'
import { queryBlock } from './query-deep-block.ts'
import { queryNodes } from './query-nodes.ts'
import { type Agreed, requireAgreed } from './quorum.ts'

/** A node that takes longer to report its head is silent here: every node is waited for, and a caller of the API waits. */
const HEAD_TIMEOUT_MS = 2_000

/**
 * Returns the highest block that a quorum of operators has reached, as a quorum shows it: what is read from several
 * nodes at this number is read at one block.
 *
 * A node that is behind, or that invents a higher head, does not move it.
 *
 * @throws {AppError} `rpc_unavailable` if too few nodes responded, or no quorum shows the same block
 */
export async function queryHead(chain: ChainNodes): Promise<Agreed<BlockRef>> {
  const { reports } = await queryNodes(chain, readHeight)
  const heads = reports.map(({ node, operator, value }) => ({ node, operator, number: value }))
  const trusted = heads.find(({ node }) => node === chain.getTrusted())
  const height = findQuorumHeight(heads, chain.quorum) ?? trusted?.number
  if (height === undefined)
    throw new AppError(
      'rpc_unavailable',
      `${heads.length} nodes responded with a head; a quorum is ${chain.quorum}`,
    )
  return requireAgreed(await queryBlock(chain, height), `block ${height}`)
}

async function readHeight({ client, name }: ChainNode): Promise<number> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} reported no head in time`)), HEAD_TIMEOUT_MS)
  })
  try {
    return Number(await Promise.race([client.getBlockNumber({ cacheTime: 0 }), late]))
  } finally {
    clearTimeout(timer)
  }
}
