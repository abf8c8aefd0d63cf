import { isUnsent } from '../../shared/chain/pacing/throttle.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Scan } from './find-transfers.ts'
import { type RefundWatchDeps, readTransfers } from './read-transfers.ts'

/** Maximum divisions of a group per range. Isolating two of 500 refunds takes at most 17. */
const MAX_DIVISIONS = 20

/** The blocks of a range that were read, and the refunds for which they do not count as read. */
export type DividedRead = {
  readonly toBlock: number
  /** Refunds that are undecided in the range (`readTransfers`). */
  readonly held: readonly string[]
  /** Refunds whose transfers no quorum lists. */
  readonly unlisted: readonly string[]
}

type DeepScan = Scan & { readonly deep: number }

/**
 * Reads the transfers of a range. Anyone can log so many transfers of zero between two addresses that nodes refuse the
 * list as too long. The list is then requested for fewer refunds, or for fewer blocks if there is only one refund, so
 * that a flood of transfers delays only refunds between the same two addresses.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum lists the last block for the first or the last refund, or if a
 * node's budget prevented a request, because shorter lists would cost more requests
 */
export async function readDivided(deps: RefundWatchDeps, scan: DeepScan): Promise<DividedRead> {
  const held = await readOrNull(deps, scan)
  if (held !== null) return { toBlock: scan.toBlock, held, unlisted: [] }
  await requireListing(deps, scan)
  return scan.refunds.length === 1 ? readFewerBlocks(deps, scan) : readFewerRefunds(deps, scan)
}

/**
 * Requires that a quorum lists the last block for the first or the last refund. Otherwise the nodes are unavailable,
 * and a shorter list would not help.
 */
async function requireListing(deps: RefundWatchDeps, scan: DeepScan): Promise<void> {
  const short = { ...scan, fromBlock: scan.toBlock }
  const held = await readOrNull(deps, { ...short, refunds: scan.refunds.slice(0, 1) })
  if (held === null) await readTransfers(deps, { ...short, refunds: scan.refunds.slice(-1) })
}

async function readFewerRefunds(deps: RefundWatchDeps, scan: DeepScan): Promise<DividedRead> {
  const held: string[] = []
  const unlisted: string[] = []
  const parts = halve(scan.refunds)
  let divisions = 1
  for (let refunds = parts.pop(); refunds !== undefined; refunds = parts.pop()) {
    const ids = await readOrNull(deps, { ...scan, refunds })
    if (ids !== null) held.push(...ids)
    else if (refunds.length === 1 || divisions === MAX_DIVISIONS)
      unlisted.push(...refunds.map(({ id }) => id))
    else {
      parts.push(...halve(refunds))
      divisions += 1
    }
  }
  return { toBlock: scan.toBlock, held, unlisted }
}

/** Halves the range until a quorum lists its transfers. */
async function readFewerBlocks(deps: RefundWatchDeps, scan: DeepScan): Promise<DividedRead> {
  const { fromBlock } = scan
  for (let toBlock = middleOf(scan); ; toBlock = middleOf({ fromBlock, toBlock })) {
    const held = await readOrNull(deps, { ...scan, toBlock })
    if (held !== null) return { toBlock, held, unlisted: [] }
    if (toBlock === fromBlock)
      return { toBlock: fromBlock - 1, held: [], unlisted: scan.refunds.map(({ id }) => id) }
  }
}

/** Returns the undecided refunds; `null` if no quorum lists the transfers, although all requests were sent. */
async function readOrNull(deps: RefundWatchDeps, scan: DeepScan): Promise<readonly string[] | null> {
  try {
    return await readTransfers(deps, scan)
  } catch (error) {
    if (error instanceof AppError && error.code === 'rpc_unavailable' && !isUnsent(error.cause)) return null
    throw error
  }
}

function middleOf({ fromBlock, toBlock }: { readonly fromBlock: number; readonly toBlock: number }): number {
  return fromBlock + Math.floor((toBlock - fromBlock) / 2)
}

function halve<Item>(items: readonly Item[]): (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}
