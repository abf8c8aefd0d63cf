import type { Db } from '../../shared/db/connect.ts'
import { appendEvents } from '../../shared/db/events/daemon/events.ts'
import {
  type RefundTransferRow,
  readRefundState,
  updateRefund,
} from '../../shared/db/refunds/daemon/update-refund.ts'
import { listPaidPairs } from '../../shared/db/refunds/paid-pairs.ts'
import { lockRefund } from '../../shared/db/refunds/refund-row.ts'
import type { EventType } from '../../shared/domain/event.ts'
import { type AtomicUnits, atomic } from '../../shared/domain/money.ts'
import type { RefundRecord, RefundStatus } from '../../shared/domain/refund/refund.ts'
import { getCountedPart } from '../../shared/domain/refund/refund-limits.ts'
import { findTurnTime } from '../charges/find-turn-times.ts'
import { buildChargeEvents } from '../charges/turn-events.ts'
import { writeEntries } from '../charges/write-entries.ts'
import { readSwapSupport, type WriteContext } from '../charges/write-turns.ts'
import { decideRefund, type RefundEffect, type RefundNews } from './decide-refund.ts'
import { getLockedCharge } from './get-locked-charge.ts'

export type RefundEventTerms = Pick<WriteContext, 'checkoutBaseUrl' | 'swapProvider' | 'apiRequestId'>

/** A fact about a refund, without the counted amount, which `applyRefundNews` calculates. */
export type RefundReport =
  | Exclude<RefundNews, { readonly type: 'transfer.final' }>
  | { readonly type: 'transfer.final'; readonly transfer: RefundTransferRow | null }

export type AppliedRefund = {
  readonly before: RefundStatus
  readonly status: RefundStatus
  /** The part of a confirmed refund that does not count, because the charge had less left to refund. */
  readonly uncountedAtomic: AtomicUnits
}

/**
 * Applies a fact to a refund in the caller's transaction: locks and updates the refund, writes the merchant's books and
 * appends the event. Updates no column of the charge, no ledger and no payout. The caller must hold the charge's lock.
 *
 * @returns `null` if the refund does not exist
 */
export async function applyRefundNews(
  terms: RefundEventTerms,
  db: Db,
  { id, report, now }: { readonly id: string; readonly report: RefundReport; readonly now: Date },
): Promise<AppliedRefund | null> {
  const refund = await lockRefund(db, id)
  const before = await readRefundState(db, id)
  if (refund === null || before === null) return null
  // A confirmed refund is written to the books like a turn of the charge, and each turn needs a distinct time.
  const at = report.type === 'transfer.final' ? await findTurnTime(db, refund.chargeId, now) : now
  const { state, effects } = decideRefund(before, await completeNews(db, { refund, report }), at)
  if (state !== before) await updateRefund(db, id, state)
  await runEffects(terms, db, { id, chargeId: refund.chargeId, effects, now: at })
  const uncounted = state.countedAtomic === null ? 0n : refund.amountAtomic - state.countedAtomic
  return { before: before.status, status: state.status, uncountedAtomic: atomic(uncounted) }
}

/** Adds the counted amount of a final transfer: at most the received amount less open and counted refunds. */
async function completeNews(
  db: Db,
  { refund, report }: { readonly refund: RefundRecord; readonly report: RefundReport },
): Promise<RefundNews> {
  if (report.type !== 'transfer.final') return report
  const { chargeId, id: exceptId, amountAtomic } = refund
  const pairs = await listPaidPairs(db, { chargeId, exceptId })
  const basis = pairs.find(
    ({ network, token, chainId }) =>
      network === refund.network && token === refund.token && chainId === refund.chainId,
  )
  // All payments of the pair may have been struck since the declaration.
  const countedAtomic = basis === undefined ? atomic(0n) : getCountedPart(amountAtomic, basis)
  return { ...report, countedAtomic }
}

type Effects = {
  readonly id: string
  readonly chargeId: string
  readonly effects: readonly RefundEffect[]
  readonly now: Date
}

const EVENT_OF = {
  announceClaimed: 'charge.refund_claimed',
  announceApproved: 'charge.refund_approved',
  announceRefunded: 'charge.refunded',
  announceExpired: 'charge.refund_expired',
} as const satisfies Readonly<Record<RefundEffect, EventType>>

const NO_ROWS = { transfers: [], splitEvents: [], escrowTransfers: [] } as const

async function runEffects(
  terms: RefundEventTerms,
  db: Db,
  { id, chargeId, effects, now }: Effects,
): Promise<void> {
  if (effects.length === 0) return
  const charge = await getLockedCharge(db, chargeId)
  if (effects.includes('announceRefunded'))
    await writeEntries(db, { chargeIds: [chargeId], counted: { ...NO_ROWS, refunds: [id] }, now })
  const offering = await readSwapSupport(terms, db)
  const types = effects.map((effect) => EVENT_OF[effect])
  await appendEvents(db, buildChargeEvents({ ...terms, offering }, { charge, types, now }))
}
