import { type ChargeRecord, isOpen } from '../../../domain/charge.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { PairKey } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import { isPending } from '../../chain-facts/confirmation-progress.ts'
import { seenAtto } from '../../chain-facts/seen-amount.ts'
import type { StaleAfter } from '../../chain-facts/stale.ts'
import type { Db } from '../../connect.ts'
import { signablePairs } from '../../pay-by-signature/authorization-facts.ts'
import { inFlightAuthorization } from '../../pay-by-signature/in-flight.ts'
import * as predicates from '../../predicates.ts'
import { type ChargeRow, chargeColumns, toChargeRecord } from '../charge-row.ts'
import { type AcceptedPair, type PairStates, selectAcceptedPairs, toPairStates } from './accepted-pairs.ts'

/** A charge, and whether and how it can be paid now (decisions 2.4). */
export type CurrentCharge = PairStates & {
  readonly charge: ChargeRecord
  /** Amount received in blocks before the deadline. */
  readonly onTimeAtto: AttoDollars
  /** Sum of transfers that were seen but are not credited yet. */
  readonly seenAtto: AttoDollars
  /** Whether a payment by signature that is in flight might still pay the charge (decisions 8.6). */
  readonly isSignatureInFlight: boolean
  /** See `isPaymentUnavailable`. */
  readonly paymentUnavailable: boolean
  /** Time of the query, by the database's clock. */
  readonly readAt: Date
  /** Accepted pairs that can be paid by signature now, for the full amount. */
  readonly payBySignature: readonly PairKey[]
}

/** Finds one charge of a tenant; `null` if the tenant has no such charge. */
export async function findCharge(
  db: Db,
  input: { tenant: Tenant; id: string; staleAfter: StaleAfter },
): Promise<CurrentCharge | null> {
  const { tenant, id, staleAfter } = input
  const [charge] = await findTenantCharges(db, { wanted: [{ tenant, id }], staleAfter })
  return charge ?? null
}

/** Finds these charges, in the same order; `null` for a charge that does not belong to the given tenant. */
export async function findTenantCharges(
  db: Db,
  input: { wanted: readonly { readonly tenant: Tenant; readonly id: string }[]; staleAfter: StaleAfter },
): Promise<readonly (CurrentCharge | null)[]> {
  const { wanted, staleAfter } = input
  const found = await findCharges(db, { ids: wanted.map(({ id }) => id), staleAfter })
  const byId = new Map(found.map((current) => [current.charge.id, current]))
  return wanted.map(({ tenant, id }) => {
    const current = byId.get(id)
    return current !== undefined && isOf(tenant, current) ? current : null
  })
}

/** Finds charges of any tenant by their ids, in no particular order. The caller must check access. */
export async function findCharges(
  db: Db,
  input: { ids: readonly string[]; staleAfter: StaleAfter },
): Promise<readonly CurrentCharge[]> {
  const rows = await db<CurrentRow[]>`
    select ${currentColumns(db, input.staleAfter)} from charges c where c.id = any (${input.ids})`
  return rows.map(toCurrentCharge)
}

/** A charge as its stream shows it: without the availability of its pairs. */
export type StreamedCharge = {
  readonly charge: ChargeRecord
  /** Whether `listPendingTransfers` lists a transfer to the charge. */
  readonly isTransferPending: boolean
}

/** Finds charges of any tenant by their ids, in no particular order. The caller must check access. */
export async function findStreamedCharges(
  db: Db,
  ids: readonly string[],
): Promise<readonly StreamedCharge[]> {
  const rows = await db<(ChargeRow & Pick<StreamedCharge, 'isTransferPending'>)[]>`
    select ${chargeColumns(db)},
      exists (select from transfers t where t.charge_id = c.id and ${isPending(db)}) as is_transfer_pending
    from charges c where c.id = any (${ids})`
  return rows.map((row) => ({ charge: toChargeRecord(row), isTransferPending: row.isTransferPending }))
}

/** One row of `currentColumns`. */
export type CurrentRow = ChargeRow & {
  readonly seenAtto: AttoDollars
  readonly isSignatureInFlight: boolean
  readonly pairs: readonly AcceptedPair[]
  readonly payBySignature: readonly PairKey[]
  readonly readAt: Date
}

/**
 * Returns SQL for the select list of a `CurrentRow` of a charge `c`. One statement reads the amounts that were
 * received, seen and signed. With separate statements, a payment could be missing from all three, and a payer could be
 * asked to pay again.
 */
export function currentColumns(db: Db, staleAfter: StaleAfter) {
  const charge = { environment: db`c.environment`, acceptedPayments: db`c.accepted_payments` }
  const isAsking = db`(not c.is_simulated and ${predicates.isOpen(db, db`c.status`)})`
  return db`
    ${chargeColumns(db)}, now() as read_at,
    ${seenAtto(db, db`c.id`)} as seen_atto,
    ${selectAcceptedPairs(db, charge, staleAfter)} as pairs,
    ${isAsking} and ${inFlightAuthorization(db, { chargeId: db`c.id` })} is not null as is_signature_in_flight,
    case when ${isAsking} then ${signablePairs(db, { ...charge, amountMicro: db`c.amount_micro` }, staleAfter)}
      else '{}'::text[] end as pay_by_signature`
}

function isOf(tenant: Tenant, { charge }: CurrentCharge): boolean {
  return charge.organizationId === tenant.organizationId && charge.environment === tenant.environment
}

/** Converts a row to a current charge. */
export function toCurrentCharge(row: CurrentRow): CurrentCharge {
  const { onTimeAtto, seenAtto: seen, isSignatureInFlight, payBySignature, readAt } = row
  const charge = toChargeRecord(row)
  const states = toPairStates(charge, row.pairs)
  return {
    charge,
    ...states,
    paymentUnavailable: isPaymentUnavailable(charge, states),
    ...{ onTimeAtto, seenAtto: seen, isSignatureInFlight, payBySignature, readAt },
  }
}

/**
 * Returns whether payers should be discouraged from paying, because the charge might not show every payment: no
 * accepted pair is available, and the charge is open, or was paid but its settlement is not complete (decisions 2.4).
 */
export function isPaymentUnavailable(
  charge: Pick<ChargeRecord, 'status' | 'settlementStatus' | 'acceptedPayments'>,
  { unavailablePayments }: Pick<PairStates, 'unavailablePayments'>,
): boolean {
  const { status, settlementStatus, acceptedPayments } = charge
  const isPaid = status === 'confirmed' || status === 'underpaid'
  if (!isOpen(charge) && !(isPaid && settlementStatus !== 'completed')) return false
  return unavailablePayments.length === acceptedPayments.length
}
