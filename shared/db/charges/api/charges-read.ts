import type { Fragment } from 'postgres'
import type { ChargeRecord } from '../../../domain/charge.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { PairKey } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import { seenAtto } from '../../chain-facts/seen-amount.ts'
import { isStale, type StaleAfter } from '../../chain-facts/stale.ts'
import type { Db } from '../../connect.ts'
import { signablePairs } from '../../pay-by-signature/authorization-facts.ts'
import { isOpen } from '../../predicates.ts'
import { type ChargeRow, chargeColumns, toChargeRecord } from '../charge-row.ts'

/** A charge as it is now, and whether payers should be discouraged from paying it (decisions 2.4). */
export type CurrentCharge = {
  readonly charge: ChargeRecord
  readonly paymentUnavailable: boolean
  /** Accepted pairs that an operator has paused. */
  readonly pausedPayments: readonly PairKey[]
  /** Accepted pairs that can be paid by signature now, for the full amount. */
  readonly payBySignature: readonly PairKey[]
}

/** Finds one charge of a tenant; `null` if none exists. */
export async function findCharge(
  db: Db,
  input: { tenant: Tenant; id: string; staleAfter: StaleAfter },
): Promise<CurrentCharge | null> {
  const { tenant, id, staleAfter } = input
  const [charge] = await findTenantCharges(db, { wanted: [{ tenant, id }], staleAfter })
  return charge ?? null
}

/** Finds each of these charges if it belongs to the given tenant, in the same order; `null` for the others. */
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

/** A charge as it is now, with the amount that was seen and is not credited yet. */
export type PageCharge = CurrentCharge & { readonly seenAtto: AttoDollars }

/**
 * Finds charges for their payers' pages, like `findCharges`. One statement reads the received and the seen amount:
 * between two statements a payment could be in neither, and a page would ask for it again.
 */
export async function findPageCharges(
  db: Db,
  input: { ids: readonly string[]; staleAfter: StaleAfter },
): Promise<readonly PageCharge[]> {
  const rows = await db<(CurrentRow & { readonly seenAtto: AttoDollars })[]>`
    select ${currentColumns(db, input.staleAfter)}, ${seenAtto(db, db`c.id`)} as seen_atto
    from charges c where c.id = any (${input.ids})`
  return rows.map(({ seenAtto: seen, ...row }) => ({ ...toCurrentCharge(row), seenAtto: seen }))
}

/** One row of `currentColumns`. */
export type CurrentRow = ChargeRow & {
  readonly paymentUnavailable: boolean
  readonly pausedPayments: readonly PairKey[]
  readonly payBySignature: readonly PairKey[]
}

/**
 * Returns the select list of a charge `c` as it is now.
 *
 * Discouraging payment matters until the merchant is paid out, because until then the charge might not show every
 * payment. A simulated charge waits for no chain.
 */
export function currentColumns(db: Db, staleAfter: StaleAfter) {
  const charge = { environment: db`c.environment`, acceptedPayments: db`c.accepted_payments` }
  return db`
    ${chargeColumns(db)},
    not c.is_simulated
      and (${isOpen(db, db`c.status`)}
        or (c.status in ('confirmed', 'underpaid') and c.settlement_status is distinct from 'completed'))
      and ${isUnavailable(db, charge, staleAfter)} as payment_unavailable,
    array(
      select p.token || '/' || p.network from pairs p
      where p.paused_at is not null and p.environment = c.environment
        and p.token || '/' || p.network = any (c.accepted_payments)) as paused_payments,
    case when c.is_simulated or not ${isOpen(db, db`c.status`)} then '{}'::text[]
      else ${signablePairs(db, { ...charge, amountMicro: db`c.amount_micro` })} end as pay_by_signature`
}

/**
 * Whether payers should be discouraged from paying on any of these pairs: an operator has paused a pair, or our highest
 * head of its chain is stale. This is the only definition, for new and for existing charges.
 */
export function isUnavailable(
  db: Db,
  charge: { readonly environment: Fragment; readonly acceptedPayments: Fragment },
  staleAfter: StaleAfter,
) {
  return db`
    exists (
      select from pairs p join deployments d on d.chain_id = p.chain_id
      where p.environment = ${charge.environment} and p.token || '/' || p.network = any (${charge.acceptedPayments})
        and (p.paused_at is not null or ${isStale(db, staleAfter)}))`
}

function isOf(tenant: Tenant, { charge }: CurrentCharge): boolean {
  return charge.organizationId === tenant.organizationId && charge.environment === tenant.environment
}

/** Converts a row to the domain's type. */
export function toCurrentCharge(row: CurrentRow): CurrentCharge {
  const { paymentUnavailable, pausedPayments, payBySignature } = row
  return { charge: toChargeRecord(row), paymentUnavailable, pausedPayments, payBySignature }
}
