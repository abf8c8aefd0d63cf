import { queryBlock } from '../../shared/chain/nodes/query-block.ts'
import {
  markRefundsReread,
  markRefundsScanned,
  type WatchedRefund,
} from '../../shared/db/refunds/daemon/watched-refunds.ts'
import { type BlockRange, MIN_BLOCKS_PER_RANGE } from '../reconciliation/block-ranges.ts'
import { readDivided } from './read-divided.ts'
import type { RefundWatchDeps } from './read-transfers.ts'

/** Maximum ranges of blocks per group and turn. */
const RANGES_PER_GROUP = 5
/**
 * The first reading reads the blocks that reached confirmation depth within this time again in each turn, because a
 * node can return an incomplete list without an error.
 */
const OVERLAP_MS = 60_000
/** Time from confirmation depth to the second reading of a block. By then, nodes have indexed the block. */
const REREAD_AFTER_MS = 600_000

/** One of the two readings of the blocks that might contain a refund's transfer. */
export type Reading = {
  readonly name: 'first' | 'second'
  /** The last block to read, at confirmation depth. */
  readonly lastBlock: number
  /** A refund whose position is below this block lags. */
  readonly recentBlock: number
  readonly asksEveryNode: boolean
  /** Returns the position of a refund: the last block that this reading has completed for the refund. */
  readonly positionOf: (refund: WatchedRefund) => number
  /** Records that this reading has completed a block for these refunds. */
  readonly mark: (refunds: readonly WatchedRefund[], block: number) => Promise<void>
}

/** Creates the first reading, of the blocks up to confirmation depth, with the overlap `OVERLAP_MS` between turns. */
export function firstReading({ sql, deployment }: RefundWatchDeps, deep: number): Reading {
  const overlap = Math.ceil(OVERLAP_MS / deployment.blockTimeMs)
  return {
    ...{ name: 'first', lastBlock: deep, asksEveryNode: false },
    recentBlock: deep - overlap - MIN_BLOCKS_PER_RANGE,
    positionOf: ({ scannedBlock }) => scannedBlock,
    mark: (refunds, block) =>
      markRefundsScanned(sql, { ids: refunds.map(({ id }) => id), block: Math.min(block, deep - overlap) }),
  }
}

/**
 * Creates the second reading, of the blocks that have been at confirmation depth for ten minutes, from every node that
 * responds. A refund with a destination expires only after this reading has reached a block at or after its deadline.
 */
export function secondReading({ sql, deployment, chain }: RefundWatchDeps, deep: number): Reading {
  const lastBlock = deep - Math.ceil(REREAD_AFTER_MS / deployment.blockTimeMs)
  return {
    ...{ name: 'second', lastBlock, asksEveryNode: true, recentBlock: lastBlock - MIN_BLOCKS_PER_RANGE },
    positionOf: ({ rereadBlock }) => rereadBlock,
    mark: async (refunds, block) => {
      const until = refunds.some(({ isDue }) => isDue) ? await readTime(block) : null
      await markRefundsReread(sql, { ids: refunds.map(({ id }) => id), block, until })
    },
  }

  async function readTime(block: number): Promise<Date | null> {
    const verdict = await queryBlock(chain, block)
    return verdict.outcome === 'agreed' ? new Date(verdict.agreed.value.timestamp * 1000) : null
  }
}

/** The blocks that were read, and the refunds for which they do not count as read. */
export type ReadBlocks = {
  readonly firstBlock: number
  /** The last block that was read. */
  readonly end: number
  /** Refunds that are undecided in these blocks (`readTransfers`). */
  readonly held: ReadonlySet<string>
  /** Refunds whose transfers no quorum lists, although a quorum serves lists of a single block. */
  readonly unlisted: ReadonlySet<string>
  /** Whether the last range was read only in part, because no quorum lists all its transfers. */
  readonly isCut: boolean
}

/** Reads the next blocks for a group of refunds, at most `RANGES_PER_GROUP` ranges. */
export async function readBlocks(
  deps: RefundWatchDeps,
  {
    refunds,
    reading,
    deep,
  }: { readonly refunds: readonly WatchedRefund[]; readonly reading: Reading; readonly deep: number },
): Promise<ReadBlocks> {
  const { lastBlock, asksEveryNode, positionOf, mark } = reading
  const firstBlock = Math.min(...refunds.map(positionOf)) + 1
  const held = new Set<string>()
  const unlisted = new Set<string>()
  let end = firstBlock - 1
  let isCut = false
  for (const range of listRanges(firstBlock, lastBlock)) {
    const listed = refunds.filter(({ id }) => !unlisted.has(id))
    if (listed.length === 0) break
    const read = await readDivided(deps, { ...range, refunds: listed, deep, asksEveryNode })
    for (const id of read.held) held.add(id)
    for (const id of read.unlisted) unlisted.add(id)
    end = read.toBlock
    await mark(
      listed.filter(({ id }) => !held.has(id) && !unlisted.has(id)),
      end,
    )
    isCut = end < range.toBlock
    if (isCut) break
  }
  return { firstBlock, end, held, unlisted, isCut }
}

function listRanges(firstBlock: number, lastBlock: number): readonly BlockRange[] {
  const count = Math.min(RANGES_PER_GROUP, Math.ceil((lastBlock - firstBlock + 1) / MIN_BLOCKS_PER_RANGE))
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const fromBlock = firstBlock + at * MIN_BLOCKS_PER_RANGE
    return { fromBlock, toBlock: Math.min(lastBlock, fromBlock + MIN_BLOCKS_PER_RANGE - 1) }
  })
}
