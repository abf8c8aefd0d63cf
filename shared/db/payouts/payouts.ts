import type { Address, Hex } from '../../domain/address.ts'
import type { PayoutStatus } from '../../domain/charge.ts'
import type { Environment } from '../../domain/networks.ts'
import type { PendingDistribution } from '../../domain/present-distribution.ts'
import type { Db } from '../connect.ts'
import { owedAtomic } from '../predicates.ts'

/** The mutable fields of a payout. */
export interface PayoutProgress {
  readonly status: PayoutStatus
  /** Number of claims by our own worker. A claim that found the payout held does not count. */
  readonly attempts: number
  readonly availableSince: Date
  readonly graceEndsAt: Date
  readonly nextAttemptAt: Date
  /** End of the current lease; `null` without a lease. */
  readonly leasedUntil: Date | null
  /** Time since which the payout cannot be paid, because the token's issuer restricts an address; otherwise `null`. */
  readonly heldSince: Date | null
  readonly processingStartedAt: Date | null
  readonly completedAt: Date | null
  readonly distributorAddress: Address | null
  readonly txHash: Hex | null
  readonly lastError: string | null
}

/** The payout of one pair of one charge, with the data that its distribution needs. */
export interface PayoutRow extends PayoutProgress, PendingDistribution {
  readonly id: number
  readonly environment: Environment
  /** Whether the split holds the merchant's share (decisions 5.3). */
  readonly isMerchantHeld: boolean
  /** Whether a part of the amount with which the charge settles is not distributed yet. */
  readonly isSettling: boolean
}

/** Returns the condition that a part of the settlement amount of a ledger row `l` is not distributed yet. */
export function isSettling(db: Db) {
  return db`l.settlement_atomic > l.distributed_atomic`
}

/** Locks a payout and returns its current row; `null` if there is none. */
export async function lockPayout(db: Db, id: number): Promise<PayoutRow | null> {
  const [row] = await db<PayoutRow[]>`
    select ${payoutColumns(db)} from ${payoutTables(db)} where p.id = ${id} for no key update of p`
  return row ?? null
}

/** Locks all payouts of these charges, in the order of their ids. The caller must already hold the charges' locks. */
export async function lockPayoutsOfCharges(db: Db, chargeIds: readonly string[]): Promise<PayoutRow[]> {
  return db<PayoutRow[]>`
    select ${payoutColumns(db)} from ${payoutTables(db)}
    where p.charge_id = any (${chargeIds})
    order by p.id
    for no key update of p`
}

/**
 * Locks the charge of a payout, and returns whether the charge is quarantined. A caller that updates both rows must
 * call this before it locks the payout.
 */
export async function lockChargeOfPayout(db: Db, id: number): Promise<{ readonly isParked: boolean }> {
  const [row] = await db<[{ isParked: boolean }]>`
    select c.quarantined_at is not null as is_parked
    from charges c join payouts p on p.charge_id = c.id where p.id = ${id} for no key update of c`
  return row
}

/**
 * Creates the missing payouts of these charges, one for each pair on which money reached the split, even if all of the
 * money was already distributed (specification, "PendingDistribution"). Existing payouts stay unchanged.
 *
 * @returns the ids of the created payouts
 */
export async function insertPayouts(
  db: Db,
  opening: { readonly chargeIds: readonly string[]; readonly now: Date; readonly graceEndsAt: Date },
): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    insert into payouts (
      charge_id, network, token, chain_id, token_address, split_address, environment, organization_id,
      available_since, grace_ends_at, next_attempt_at, created_at)
    select l.charge_id, l.network, l.token, l.chain_id, l.token_address, c.split_address, c.environment,
      c.organization_id, ${opening.now}, ${opening.graceEndsAt}, ${opening.graceEndsAt}, ${opening.now}
    from charge_ledgers l join charges c on c.id = l.charge_id
    where l.charge_id = any (${opening.chargeIds}) and l.payable_atomic > 0
    order by l.charge_id, l.network, l.token
    on conflict (charge_id, network, token) do nothing
    returning id`
  return rows.map(({ id }) => id)
}

/**
 * Ends these leases, except leases that have been replaced. The payouts are then due immediately, and continue the same
 * attempts.
 */
export async function releaseLeases(
  db: Db,
  leases: readonly { readonly id: number; readonly leasedUntil: Date }[],
): Promise<void> {
  await db`
    update payouts p set leased_until = null
    from jsonb_to_recordset(${db.json(leases as never)}) as l (id int8, "leasedUntil" timestamptz)
    where p.id = l.id and p.status = 'processing' and p.leased_until = l."leasedUntil"`
}

/** Updates the mutable fields of a payout; the caller must hold its lock. */
export async function updatePayout(db: Db, payout: PayoutProgress & { readonly id: number }): Promise<void> {
  await db`
    update payouts set ${db(payout, PROGRESS_FIELDS)}
    where id = ${payout.id}`
}

const PROGRESS_FIELDS = [
  ...(['status', 'attempts', 'availableSince', 'graceEndsAt', 'nextAttemptAt', 'leasedUntil'] as const),
  ...(['heldSince', 'processingStartedAt', 'completedAt', 'distributorAddress', 'txHash'] as const),
  'lastError' as const,
]

/** Returns SQL for the select list of a payout `p`, its charge `c`, its ledger row `l` and its token `t`. */
export function payoutColumns(db: Db) {
  return db`
    p.id, p.charge_id, p.environment, c.family, p.network, p.token, p.chain_id, p.token_address, t.decimals,
    p.split_address, c.split_terms,
    exists (select from split_events e where e.charge_id = p.charge_id and e.chain_id = p.chain_id
      and e.inclusion = 'included') as is_deployed,
    ${owedAtomic(db)} as owed_atomic, l.merchant_held_atomic > 0 as is_merchant_held,
    ${isSettling(db)} as is_settling, p.status, p.attempts,
    p.available_since, p.grace_ends_at, p.next_attempt_at, p.leased_until, p.held_since, p.processing_started_at,
    p.completed_at, p.distributor_address, p.tx_hash, p.last_error`
}

/** Returns the `from` items that `payoutColumns` requires. */
export function payoutTables(db: Db) {
  return db`
    ${ledgerTables(db)}
    join charges c on c.id = p.charge_id
    join pairs t on t.chain_id = p.chain_id and t.token_address = p.token_address`
}

/** Returns the joins that `isDue` requires. */
export function ledgerTables(db: Db) {
  return db`
    payouts p
    join charge_ledgers l on l.charge_id = p.charge_id and l.network = p.network and l.token = p.token`
}
