import { type ConfirmedHead, queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import { isOverBudget } from '../../shared/chain/pacing/throttle.ts'
import {
  type BegunComparison,
  type ChargeComparison,
  type ComparisonStart,
  claimComparisons,
  findDueComparison,
  recordComparisonEnd,
  recordComparisonStart,
} from '../../shared/db/chain-facts/daemon/charge-comparisons.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import { createBalanceReader } from './balance-reader.ts'
import { getBlocksPerRange, MIN_BLOCKS_PER_RANGE } from './block-ranges.ts'
import { type BalanceMismatch, diffBalances } from './compare-balances.ts'
import { enrolOldCharges } from './insert-old-charges.ts'
import { getLeadMs, scheduleComparison } from './next-comparison.ts'
import {
  describeMismatches,
  isKnown,
  listObservedBalances,
  listUnrelatedTransfers,
  toStoredMismatches,
} from './old-charge-mismatches.ts'
import { createBatchRelease } from './release-batch.ts'
import { createMismatchReporter } from './report-mismatches.ts'
import type { ScanDeps } from './scan-charges.ts'
import { isSearched, listSearchedToCreation, nextRange, searchRange } from './search-batch.ts'
import type { OldChargeRule } from './sources-by-family.ts'

export type ComparisonMetrics = ScanDeps['metrics'] & {
  readonly countUnexplained: (chainId: number) => void
  /** Counts an old charge whose balances differ from our rows, or a range with logs that our rows lacked. */
  readonly countDifference: (chainId: number) => void
  /** Counts a search that ended early, because no quorum serves the logs of older blocks. */
  readonly countUnread: (chainId: number) => void
}

export type OldChargeDeps = CheckedChain &
  ScanDeps & { readonly rule: OldChargeRule; readonly now: Clock; readonly metrics: ComparisonMetrics }

/** Maximum block ranges searched in one turn. On EVM chains, a range costs each queried node at most three requests. */
const RANGES_PER_TURN = 10
/**
 * Lease of a batch, in seconds. When it expires, another daemon continues the batch of a killed daemon. A turn that
 * takes longer might be repeated by another daemon.
 */
const LEASE_SECONDS = 120
/**
 * Maximum retries of a failed range. If the range then fails again, the nodes are assumed not to serve it. With the
 * backoff, this takes half an hour.
 */
const MAX_FAILURES = 5

/**
 * Creates the job that compares old charges, which have left the range scans, with the chain at the times that
 * `scheduleComparison` returns.
 *
 * A comparison reads the balances from a quorum at a block at confirmation depth. It then searches the charge's logs
 * back to the last comparison, because money that arrived and was distributed leaves no balance. The first comparison,
 * and any comparison that finds a new excess or shortage, searches back to the charge's creation. A row that the search
 * finds needs the same quorum as a row of range scans. A remaining difference raises an alert once.
 *
 * Charges of similar age are compared in batches, because one log filter holds hundreds of addresses. A turn searches a
 * bounded number of ranges of one batch and stores the progress of each charge. The batch that has waited longest comes
 * first, so a long search does not delay other charges. If the nodes still do not serve a range after several retries,
 * the search ends there with an alert, and older blocks are not searched. If the nodes serve no range at all, the
 * comparison stays overdue, which also raises an alert.
 */
export function createOldChargeComparison(deps: OldChargeDeps) {
  const { sql, deployment, chain, rule } = deps
  const { chainId } = deployment
  const tell = createMismatchReporter({ chainId, log: deps.log })
  const release = createBatchRelease(deps)
  const reader = createBalanceReader({ ...deps, onUnread: () => undefined })
  const scanDeps = { ...deps, metrics: { ...deps.metrics, countFound } }
  /** Blocks per range. After a failure, the number is reduced to a size that every node serves. */
  let blocks = getBlocksPerRange(deployment.blockTimeMs)

  return { turn }

  async function turn(): Promise<'more' | 'idle'> {
    const now = deps.now()
    if (await enrolOldCharges(sql, { chainId, now, growth: rule.growth })) return 'more'
    const due = await findDueComparison(sql, { chainId, now })
    if (due === null) return 'idle'
    const deep = await queryConfirmedHead(chain, deployment)
    const claimed = await claimComparisons(sql, due, {
      ...{ chainId, now, until: new Date(now.getTime() + getLeadMs(due.span)) },
      ...{ limit: rule.chargesPerBatch, leaseSeconds: LEASE_SECONDS },
    })
    const waiting = claimed.filter(({ targetNumber }) => targetNumber === null)
    const started = waiting.length > 0 ? await start(waiting, { deep, now }) : claimed.filter(isBegun)
    await search(started, deep.number)
    return 'idle'
  }

  function countFound(_chainId: number, rows: number): void {
    deps.metrics.countFound(chainId, rows)
    if (rows > 0) deps.metrics.countDifference(chainId)
  }

  async function start(
    batch: readonly ChargeComparison[],
    { deep, now }: { readonly deep: ConfirmedHead; readonly now: Date },
  ): Promise<readonly BegunComparison[]> {
    if (deep.block === null) return []
    const block = deep.block.value
    const head = { number: deep.height ?? block.number, timestamp: block.timestamp }
    const reading = await reader.read(batch, { block, head, isStanding: false })
    const unread = batch.filter(({ id }) => reading.unread.has(id))
    await release.unread(unread)
    const read = batch.filter(({ id }) => !reading.unread.has(id))
    const target = reading.block.number
    const differences = await explain({ found: reading.found, block: target })
    const starts = read.map((one) => startOf(one, { target, differences }))
    await recordComparisonStart(sql, { chainId, now }, starts)
    return read.map((one, at) => begun(one, { now, start: starts[at] as ComparisonStart }))
  }

  function startOf(
    one: ChargeComparison,
    { target, differences }: { readonly target: number; readonly differences: readonly BalanceMismatch[] },
  ): ComparisonStart {
    const mine = differences.filter(({ charge }) => charge.id === one.id)
    const stored = toStoredMismatches(mine)
    const known = isKnown(one, stored)
    const isNew = stored.length > 0 && !known
    if (isNew) reportDifference(one, { target, stored })
    return {
      ...{ chargeId: one.id, targetNumber: target, difference: isNew ? stored : null },
      knownDifference: known ? one.knownDifference : null,
    }
  }

  function reportDifference(
    { id }: ChargeComparison,
    { target, stored }: { readonly target: number; readonly stored: unknown },
  ): void {
    deps.metrics.countDifference(chainId)
    deps.log.error({
      msg: 'Balances of an old charge differ from our rows: searching all blocks since its creation',
      ...{ chain_id: chainId, charge_id: id, block_number: target, differences: stored },
    })
  }

  /** Searches ranges until the batch is done, a range fails, or the turn's limit is reached. */
  async function search(started: readonly BegunComparison[], confirmedHeadNumber: number): Promise<void> {
    let batch = await endSearched(started)
    for (let ranges = 0; ranges < RANGES_PER_TURN && batch.length > 0; ranges += 1) {
      const result = await searchOne(batch, confirmedHeadNumber)
      if (result === null) return
      batch = await endSearched(result)
    }
    const whole = await listSearchedToCreation(chain, batch)
    await end(whole, null)
    const rest = batch.filter((one) => !whole.includes(one))
    await release.unfinished(rest)
  }

  /** Searches one range. Returns the batch with its progress, or `null` if the range failed and this turn must end. */
  async function searchOne(
    batch: readonly BegunComparison[],
    confirmedHeadNumber: number,
  ): Promise<readonly BegunComparison[] | null> {
    const range = nextRange(batch, blocks)
    try {
      const { batch: moved, isUnsure } = await searchRange(scanDeps, batch, { ...range, confirmedHeadNumber })
      if (!isUnsure) return moved
      await release.unsure(batch)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (isOverBudget(error.cause)) await release.unasked(batch)
      else await countFailure(batch, range.toBlock)
    }
    return null
  }

  async function countFailure(batch: readonly BegunComparison[], toBlock: number): Promise<void> {
    blocks = Math.min(blocks, MIN_BLOCKS_PER_RANGE)
    if (isUnserved(batch)) await endUnread(batch, toBlock)
    else await release.failed(batch)
  }

  async function endSearched(batch: readonly BegunComparison[]): Promise<readonly BegunComparison[]> {
    await end(batch.filter(isSearched), null)
    return batch.filter((one) => !isSearched(one))
  }

  /** Compares the differing balances again after the search, and schedules the next comparison. */
  async function end(ended: readonly BegunComparison[], unreadNumber: number | null): Promise<void> {
    if (ended.length === 0) return
    const ends = await Promise.all(ended.map(async (one) => ({ one, known: await reportLeft(one) })))
    await recordComparisonEnd(
      sql,
      chainId,
      ends.map(({ one, known }) => ({
        ...{ chargeId: one.id, unreadNumber: unreadNumber ?? one.unreadNumber, knownDifference: known },
        ...scheduleComparison({ ...one, ...scheduleOf(one), growth: rule.growth }),
      })),
    )
  }

  /**
   * Reports new differences that neither our rows nor unrelated transfers explain. Returns a string that identifies all
   * differences from our rows, including those that unrelated transfers explain; `null` if there is none.
   */
  async function reportLeft(one: BegunComparison): Promise<string | null> {
    const found = listObservedBalances(one)
    if (found.length === 0) return one.knownDifference
    const block = one.targetNumber
    const unexplained = await explain({ found, block, strays: listUnrelatedTransfers(one) })
    for (const difference of unexplained) {
      deps.metrics.countUnexplained(chainId)
      tell.unexplained(difference, block)
    }
    return describeMismatches(toStoredMismatches(await explain({ found, block })))
  }

  function explain(compared: Parameters<typeof diffBalances>[1]): Promise<readonly BalanceMismatch[]> {
    return diffBalances({ db: sql, deployment }, compared)
  }

  /** Returns whether the nodes served newer blocks of this batch, but have repeatedly failed for this range. */
  function isUnserved([one]: readonly BegunComparison[]): boolean {
    return one !== undefined && one.failures >= MAX_FAILURES && one.searchedNumber <= one.targetNumber
  }

  async function endUnread(batch: readonly BegunComparison[], unreadNumber: number): Promise<void> {
    deps.metrics.countUnread(chainId)
    deps.log.error({
      msg: 'No quorum of nodes serves the logs up to this block: old charges are searched only above it',
      ...{ chain_id: chainId, block_number: unreadNumber, charges: batch.length, charge_id: batch[0]?.id },
    })
    await end(batch, unreadNumber)
  }
}

function isBegun(one: ChargeComparison): one is BegunComparison {
  return one.targetNumber !== null && one.searchedNumber !== null && one.begunAt !== null
}

function begun(
  one: ChargeComparison,
  { now, start }: { readonly now: Date; readonly start: ComparisonStart },
): BegunComparison {
  const { targetNumber, difference, knownDifference } = start
  return {
    ...{ ...one, begunAt: now, targetNumber, searchedNumber: targetNumber + 1, difference, knownDifference },
    ...{ strays: {}, failures: 0, comparedNumber: difference === null ? one.comparedNumber : null },
  }
}

function scheduleOf({ id, begunAt }: BegunComparison) {
  return { chargeId: id, comparedAt: begunAt, isFirst: false }
}
