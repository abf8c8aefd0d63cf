import { queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import type { Agreed } from '../../shared/chain/nodes/quorum.ts'
import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import {
  findWatchedRefund,
  listWatchedRefunds,
  markRefundsScanned,
  type WatchedRefund,
} from '../../shared/db/refunds/daemon/watched-refunds.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import { queryEffects } from '../corroboration/query-effects.ts'
import { type BlockRange, MIN_BLOCKS_PER_RANGE } from '../reconciliation/block-ranges.ts'
import { type FoundTransaction, findTransfers } from './find-transfers.ts'
import { groupByPosition } from './group-by-position.ts'
import { keyOf, matchTransfers } from './match-transfers.ts'
import { type RefundRecorder, recordTransfer, recordVanished } from './record-transfer.ts'

/** Dependencies of the watch of one chain. */
export type RefundWatchDeps = RefundRecorder & CheckedChain

/** Maximum refunds per turn. The refunds with the oldest scanned block come first. */
const REFUNDS_PER_TURN = 500
/** Ranges of blocks per group and turn. */
const RANGES_PER_GROUP = 5
/** Transactions in flight. Each costs two requests to each of two nodes. */
const AT_ONCE = 10
/** Blocks of this time below depth are read again in each turn, because a list can be incomplete without an error. */
const OVERLAP_MS = 60_000
/** A refund that lags because its transactions cannot be decided is scanned again after this time. */
const REST_MS = 60_000

/**
 * Creates the job that finds the transfers of refunds on one chain. A refund is seen when a quorum of operators shows
 * its transfer, and confirmed when they show it at confirmation depth.
 *
 * A range is completed for a refund only when each transaction that any node lists with its content has been shown or
 * denied by a quorum. The absence of a transfer is never concluded from one node. A refund whose transactions cannot be
 * decided delays no other refund.
 */
export function createRefundWatch(deps: RefundWatchDeps) {
  const { sql, deployment, chain, log } = deps
  const { chainId } = deployment
  const overlap = Math.ceil(OVERLAP_MS / deployment.blockTimeMs)
  /** Times until which refunds rest whose transactions could not be decided. */
  const resting = new Map<string, number>()

  return { turn, check }

  async function turn(): Promise<'more' | 'idle'> {
    const refunds = await listWatchedRefunds(sql, { chainId, limit: REFUNDS_PER_TURN })
    if (refunds.length === 0) return 'idle'
    const deep = await findDeepBlock()
    await verifySeen(refunds, deep)
    let hasMore = false
    const recentBlock = deep - overlap - MIN_BLOCKS_PER_RANGE
    const awake = refunds.filter(
      ({ id, status, scannedBlock }) => status !== 'seen' && (scannedBlock >= recentBlock || !isResting(id)),
    )
    for (const group of groupByPosition(awake, recentBlock)) hasMore = (await scan(group, deep)) || hasMore
    return hasMore ? 'more' : 'idle'
  }

  /** Looks for the transfer of one refund now: in the named transaction, or in the blocks that were not scanned yet. */
  async function check(id: string, txHash: Hex | null): Promise<void> {
    const refund = await findWatchedRefund(sql, id)
    if (refund === null) return
    const deep = await findDeepBlock()
    await verifySeen([refund], deep)
    if (txHash === null) await scan([refund], deep)
    else if (!(await takeUp({ txHash, highestBlock: 0 }, { refunds: [refund], deep })))
      throw new AppError('rpc_unavailable', 'no quorum shows this transaction at the moment; try again')
  }

  function isResting(id: string): boolean {
    const isOver = (resting.get(id) ?? 0) <= deps.now().getTime()
    if (isOver) resting.delete(id)
    return !isOver
  }

  async function findDeepBlock(): Promise<number> {
    return (await queryConfirmedHead(chain, deployment)).number
  }

  /** Reads the blocks of refunds that were not scanned yet. Returns whether blocks at confirmation depth are left. */
  async function scan(refunds: readonly WatchedRefund[], deep: number): Promise<boolean> {
    const firstBlock = Math.min(...refunds.map(({ scannedBlock }) => scannedBlock)) + 1
    const held = new Set<string>()
    const ranges = listRanges(firstBlock, deep)
    for (const range of ranges) {
      for (const id of await scanRange(range, { refunds, deep })) held.add(id)
      const ids = refunds.map(({ id }) => id).filter((id) => !held.has(id))
      await markRefundsScanned(sql, { ids, block: Math.min(range.toBlock, deep - overlap) })
    }
    for (const id of held) resting.set(id, deps.now().getTime() + REST_MS)
    const end = ranges.at(-1)?.toBlock ?? firstBlock - 1
    if (end >= deep) await scanAboveDepth(Math.max(firstBlock, deep + 1), { refunds, deep })
    if (held.size > 0)
      log.warn({ msg: 'Cannot decide the transfers of refunds', chain_id: chainId, refund_ids: [...held] })
    return end < deep && held.size < refunds.length
  }

  /** Looks for transfers above confirmation depth. They are read again at depth, so a failure costs only time. */
  async function scanAboveDepth(fromBlock: number, known: Known): Promise<void> {
    const toBlock = known.deep + deployment.confirmations - 1
    if (toBlock < fromBlock) return
    try {
      await scanRange({ fromBlock, toBlock }, known)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rpc_unavailable') throw error
    }
  }

  /** Returns the ids of the refunds that have an undecided transaction in the range. */
  async function scanRange(range: BlockRange, known: Known): Promise<readonly string[]> {
    const { transactions, crowded } = await findTransfers(deps, { ...range, refunds: known.refunds })
    const open = new Set(crowded)
    for (let at = 0; at < transactions.length; at += AT_ONCE) {
      const some = transactions.slice(at, at + AT_ONCE)
      const decided = await Promise.all(some.map((found) => takeUp(found, known)))
      for (const [index, { contents }] of some.entries())
        if (decided[index] === false) for (const content of contents) open.add(content)
    }
    return known.refunds.filter((refund) => open.has(keyOf(refund))).map(({ id }) => id)
  }

  /** Returns whether a quorum shows or denies a transaction, and its refunds were updated. */
  async function takeUp(
    { txHash, highestBlock }: Pick<FoundTransaction, 'txHash' | 'highestBlock'>,
    { refunds, deep }: Known,
  ): Promise<boolean> {
    const verdict = await queryEffects(deps.sources, { txHash, blockNumber: highestBlock })
    if (verdict.outcome !== 'agreed') return false
    const { value: receipt, by } = verdict.agreed
    if (receipt === null) return true
    const isDeep = receipt.blockNumber <= deep
    const matched = matchTransfers(receipt, { deployment, refunds })
    for (const { refund, count } of matched) {
      try {
        await recordTransfer(deps, { refund, count, receipt, agreedBy: by, isDeep })
      } catch (error) {
        // One refund that cannot be written must not stop the others.
        log.error({
          msg: 'Could not record the transfer of a refund',
          refund_id: refund.id,
          tx_hash: txHash,
          error,
        })
        return false
      }
    }
    return true
  }

  /** Reads the transactions of seen refunds again. A reorganization may have moved or removed them. */
  async function verifySeen(refunds: readonly WatchedRefund[], deep: number): Promise<void> {
    const seen = refunds.filter(({ status }) => status === 'seen')
    for (let at = 0; at < seen.length; at += AT_ONCE)
      await Promise.all(seen.slice(at, at + AT_ONCE).map((refund) => verify(refund, deep)))
  }

  async function verify(refund: WatchedRefund, deep: number): Promise<void> {
    const { txHash, blockNumber } = refund
    if (txHash === null || blockNumber === null) return
    const verdict = await queryEffects(deps.sources, { txHash, blockNumber })
    if (verdict.outcome === 'agreed') await update(refund, { agreed: verdict.agreed, deep })
  }

  async function update(
    refund: WatchedRefund,
    { agreed, deep }: { readonly agreed: Agreed<PositionedReceipt | null>; readonly deep: number },
  ): Promise<void> {
    const { value: receipt, by: agreedBy } = agreed
    const [matched] = receipt === null ? [] : matchTransfers(receipt, { deployment, refunds: [refund] })
    try {
      if (receipt === null || matched === undefined) await recordVanished(deps, refund)
      else await recordTransfer(deps, { ...matched, receipt, agreedBy, isDeep: receipt.blockNumber <= deep })
    } catch (error) {
      log.error({ msg: 'Could not update a seen refund', refund_id: refund.id, error })
    }
  }
}

/** The refunds that wait for a transfer, and the highest block at confirmation depth. */
type Known = { readonly refunds: readonly WatchedRefund[]; readonly deep: number }

function listRanges(firstBlock: number, lastBlock: number): readonly BlockRange[] {
  const count = Math.min(RANGES_PER_GROUP, Math.ceil((lastBlock - firstBlock + 1) / MIN_BLOCKS_PER_RANGE))
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const fromBlock = firstBlock + at * MIN_BLOCKS_PER_RANGE
    return { fromBlock, toBlock: Math.min(lastBlock, fromBlock + MIN_BLOCKS_PER_RANGE - 1) }
  })
}
