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

/** Puts a charge aside whose turn fails for itself alone; an operator is alerted and may take it up again. */
export async function parkCharge(db: Db, id: string): Promise<void> {
  await db`update charges set parked_at = now() where id = ${id}`
}

/**
 * Takes a charge up again: the daemon's next look finds it.
 *
 * @returns since when it was parked, `null` if it was not, `undefined` if there is no such charge
 */
export async function unparkCharge(db: Db, id: string): Promise<Date | null | undefined> {
  const [charge] = await db<{ parkedAt: Date | null }[]>`
    with before as (select parked_at from charges where id = ${id}),
      taken_up as (update charges set parked_at = null where id = ${id} and parked_at is not null)
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
