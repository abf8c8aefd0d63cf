import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryBlock } from '../../shared/chain/nodes/query-block.ts'
import {
  type BegunComparison,
  recordSearched,
  type StoredStrays,
} from '../../shared/db/chain-facts/daemon/charge-comparisons.ts'
import type { BlockRange } from './block-ranges.ts'
import { type ChargeScan, type ScanDeps, scanCharges } from './scan-charges.ts'
import type { UnrelatedTransfer } from './unrelated-transfer.ts'

/** Maximum lag of a chain's clock behind ours. */
const CLOCK_MARGIN_MS = 3_600_000

/** Returns the newest block range that was not searched yet for the batch. Pure. */
export function nextRange(batch: readonly BegunComparison[], blocks: number): BlockRange {
  const toBlock = Math.max(...batch.map(({ searchedNumber }) => searchedNumber)) - 1
  const first = Math.min(...batch.map(firstBlockOf))
  return { fromBlock: Math.max(first, toBlock - blocks + 1), toBlock }
}

/**
 * Returns whether the search has reached the charge's last comparison, or block 0 if all blocks must be searched. Pure.
 */
export function isSearched(comparison: BegunComparison): boolean {
  return comparison.searchedNumber <= firstBlockOf(comparison)
}

/**
 * Searches a block range for logs of those charges of the batch whose search has reached the range. Records missing
 * rows that a quorum shows, and stores the progress.
 *
 * @returns the batch with its progress, and whether a listed transaction was neither shown nor denied by a quorum; the
 * range must then be read again
 * @throws {AppError} `rpc_unavailable` as in `scanCharges`
 */
export async function searchRange(
  deps: ScanDeps,
  batch: readonly BegunComparison[],
  range: Pick<ChargeScan, 'fromBlock' | 'toBlock' | 'confirmedHeadNumber'>,
) {
  const searching = batch.filter(({ searchedNumber }) => searchedNumber === range.toBlock + 1)
  const isThorough = searching.some(({ difference }) => difference !== null)
  const scan = { charges: searching, ...range, isThorough, withStrays: isThorough }
  const { isUnsure, strays } = await scanCharges(deps, scan)
  if (isUnsure) return { batch, isUnsure }
  const moved = searching.map((one) => ({
    ...one,
    searchedNumber: range.fromBlock,
    strays: addStrays(one, strays),
  }))
  await recordSearched(
    deps.sql,
    deps.deployment.chainId,
    moved.map(({ id, searchedNumber, strays: sums }) => ({
      ...{ chargeId: id, beforeNumber: range.toBlock + 1, searchedNumber },
      strays: sums,
    })),
  )
  const byId = new Map(moved.map((one) => [one.id, one]))
  return { batch: batch.map((one) => byId.get(one.id) ?? one), isUnsure }
}

/**
 * Lists the comparisons whose search has reached the creation of their charge, according to the time of the last
 * searched block. If no quorum shows that block, the list is empty and the search continues.
 */
export async function listSearchedToCreation(
  chain: ChainNodes,
  batch: readonly BegunComparison[],
): Promise<readonly BegunComparison[]> {
  const whole = batch.filter(({ comparedNumber }) => comparedNumber === null)
  if (whole.length === 0) return []
  const number = Math.min(...whole.map(({ searchedNumber }) => searchedNumber))
  const verdict = await queryBlock(chain, number)
  if (verdict.outcome !== 'agreed') return []
  const blockMs = verdict.agreed.value.timestamp * 1_000
  return whole.filter(
    (one) => one.searchedNumber === number && blockMs < one.createdAt.getTime() - CLOCK_MARGIN_MS,
  )
}

function firstBlockOf({ comparedNumber }: BegunComparison): number {
  return comparedNumber === null ? 0 : comparedNumber + 1
}

function addStrays(comparison: BegunComparison, strays: readonly UnrelatedTransfer[]): StoredStrays {
  const sums = { ...comparison.strays }
  for (const { account, tokenAddress, amountAtto } of strays)
    if (account === comparison.splitAddress)
      sums[tokenAddress] = String(BigInt(sums[tokenAddress] ?? '0') + amountAtto)
  return sums
}
