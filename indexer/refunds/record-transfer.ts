import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import { lockForBooks } from '../../shared/db/accounting/daemon/list-booked-charges.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import {
  hasOpenTwin,
  isDueRefund,
  listTakenOrdinals,
  type WatchedRefund,
} from '../../shared/db/refunds/daemon/watched-refunds.ts'
import { lockRefund } from '../../shared/db/refunds/refund-row.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import {
  type AppliedRefund,
  applyRefundNews,
  type RefundEventTerms,
  type RefundReport,
} from './apply-refund-news.ts'
import { isEnded } from './match-transfers.ts'

export type RefundRecorder = RefundEventTerms & {
  readonly sql: Sql
  readonly now: Clock
  readonly log: Logger
  /** Called after a commit that may have appended events. */
  readonly onEvents: () => void
}

/** A transaction that a quorum shows, with at least one transfer of exactly a refund's content. */
type FoundTransfer = {
  readonly refund: Pick<WatchedRefund, 'id' | 'chargeId'>
  /** Number of equal transfers in the transaction. */
  readonly count: number
  readonly receipt: PositionedReceipt
  readonly agreedBy: readonly string[]
  readonly isDeep: boolean
}

/**
 * Records the transfer of a refund, except if all equal transfers of the transaction already pay other refunds, or if
 * the refund has ended and an open refund has the same content.
 */
export async function recordTransfer(deps: RefundRecorder, found: FoundTransfer): Promise<void> {
  await record(deps, found.refund, (db) => reportTransfer(db, found))
}

/** Records that the chain no longer contains the transfer of a seen refund. */
export async function recordVanished(
  deps: RefundRecorder,
  refund: Pick<WatchedRefund, 'id' | 'chargeId'>,
): Promise<void> {
  await record(deps, refund, () => Promise.resolve({ type: 'transfer.vanished' }))
}

/** Expires a refund, unless the refund is no longer due, for example because its transfer was seen meanwhile. */
export async function recordDeadline(
  deps: RefundRecorder,
  refund: Pick<WatchedRefund, 'id' | 'chargeId'>,
): Promise<void> {
  await record(deps, refund, async (db) =>
    (await isDueRefund(db, refund.id)) ? { type: 'deadline.passed' } : null,
  )
}

/** Finds the fact under the locks of the charge and the refund, and commits refund, event and books together. */
async function record(
  deps: RefundRecorder,
  { id, chargeId }: Pick<WatchedRefund, 'id' | 'chargeId'>,
  findReport: (db: Db) => Promise<RefundReport | null>,
): Promise<void> {
  const applied = await inTransaction(deps.sql, async (db) => {
    await lockForBooks(db, [chargeId])
    await lockRefund(db, id)
    const report = await findReport(db)
    return report === null ? null : applyRefundNews(deps, db, { id, report, now: deps.now() })
  })
  if (applied !== null && applied.before !== applied.status) logChange(deps, { id, chargeId, applied })
}

async function reportTransfer(
  db: Db,
  { refund, count, receipt, agreedBy, isDeep }: FoundTransfer,
): Promise<RefundReport | null> {
  const { id } = refund
  const { txHash, blockNumber, blockHash, blockTimestamp } = receipt
  const current = await lockRefund(db, id)
  if (current === null || (isEnded(current) && (await hasOpenTwin(db, { id, blockNumber })))) return null
  const taken = await listTakenOrdinals(db, { id, txHash })
  const ordinal = Array.from({ length: count }, (_, at) => at).find((at) => !taken.includes(at))
  if (ordinal === undefined) return null
  const transfer = { txHash, ordinal, blockNumber, blockHash, blockTimestamp, agreedBy }
  return { type: isDeep ? 'transfer.final' : 'transfer.seen', transfer }
}

type Change = { readonly id: string; readonly chargeId: string; readonly applied: AppliedRefund }

function logChange({ log, onEvents }: RefundRecorder, { id, chargeId, applied }: Change): void {
  onEvents()
  const { before: from, status: to, uncountedAtomic } = applied
  const fields = { refund_id: id, charge_id: chargeId, from, to }
  if (to === 'confirmed' && uncountedAtomic > 0n)
    log.error({
      msg: 'A part of a paid refund does not count',
      ...fields,
      uncounted: uncountedAtomic,
    })
  else log.info({ msg: 'Refund changed status', ...fields })
}
