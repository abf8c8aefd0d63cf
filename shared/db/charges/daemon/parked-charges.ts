import type { ChargeStatus, SettlementStatus } from '../../../domain/charge.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A charge that waits for an operator. */
export type ParkedCharge = {
  readonly id: string
  readonly organizationName: string
  readonly environment: Environment
  readonly status: ChargeStatus
  readonly settlementStatus: SettlementStatus | null
  readonly parkedAt: Date
}

/**
 * Puts a charge aside whose turn fails for itself alone; an operator is alerted and may take it up again, and so does
 * another build.
 */
export async function parkCharge(
  db: Db,
  { id, build }: { readonly id: string; readonly build: string },
): Promise<void> {
  await db`update charges set parked_at = now(), parked_by = ${build} where id = ${id}`
}

/** Takes up what other builds have parked, the longest parked first, and answers the ids. */
export async function takeUpParked(
  db: Db,
  { build, limit }: { readonly build: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    update charges set parked_at = null, parked_by = null
    where id in (
      select id from charges where parked_at is not null and parked_by is distinct from ${build}
      order by parked_at, id limit ${limit} for update skip locked)
    returning id`
  return rows.map(({ id }) => id)
}

/**
 * Takes a charge up again: the daemon's next look finds it.
 *
 * @returns since when it was parked, `null` if it was not, `undefined` if there is no such charge
 */
export async function unparkCharge(db: Db, id: string): Promise<Date | null | undefined> {
  const [charge] = await db<{ parkedAt: Date | null }[]>`
    with before as (select parked_at from charges where id = ${id}),
      taken_up as (update charges set parked_at = null, parked_by = null where id = ${id} and parked_at is not null)
    select parked_at from before`
  return charge?.parkedAt
}

/** Lists the parked charges of all organizations, the longest parked first; at most 1,000. */
export async function listParkedCharges(db: Db): Promise<readonly ParkedCharge[]> {
  return await db<ParkedCharge[]>`
    select c.id, o.name as organization_name, c.environment, c.status, c.settlement_status, c.parked_at
    from charges c
    join organizations o on o.id = c.organization_id
    where c.parked_at is not null
    order by c.parked_at, c.id
    limit 1000`
}

/** Counts the parked charges of all organizations. */
export async function countParkedCharges(db: Db): Promise<number> {
  const [row] = await db<[{ parked: number }]>`
    select count(*) as parked from charges where parked_at is not null`
  return row.parked
}
