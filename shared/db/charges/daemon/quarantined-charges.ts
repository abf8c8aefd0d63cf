import type { Db } from '../../connect.ts'
import type { ChargeRow } from '../charge-row.ts'

/** A quarantined charge as operators see it. */
export type QuarantinedCharge = Pick<ChargeRow, 'id' | 'environment' | 'status' | 'settlementStatus'> & {
  readonly organizationName: string
  readonly quarantinedAt: Date
}

/**
 * Quarantines a charge whose turn fails because of the charge itself. An operator can release the charge, and a daemon
 * of another build releases it automatically.
 */
export async function quarantineCharge(
  db: Db,
  { id, build }: { readonly id: string; readonly build: string },
): Promise<void> {
  await db`update charges set quarantined_at = now(), quarantined_by_build = ${build} where id = ${id}`
}

/** Releases charges that other builds quarantined, longest quarantined first. Returns their ids. */
export async function releaseQuarantinedByOtherBuilds(
  db: Db,
  { build, limit }: { readonly build: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    update charges set quarantined_at = null, quarantined_by_build = null
    where id in (
      select id from charges where quarantined_at is not null and quarantined_by_build is distinct from ${build}
      order by quarantined_at, id limit ${limit} for update skip locked)
    returning id`
  return rows.map(({ id }) => id)
}

/**
 * Releases a charge from quarantine. The daemon's next poll finds the charge.
 *
 * @returns the time at which it was quarantined; `null` if it was not quarantined, `undefined` if no such charge exists
 */
export async function releaseQuarantinedCharge(db: Db, id: string): Promise<Date | null | undefined> {
  const [charge] = await db<{ quarantinedAt: Date | null }[]>`
    with before as (select quarantined_at from charges where id = ${id}),
      taken_up as (update charges set quarantined_at = null, quarantined_by_build = null where id = ${id} and quarantined_at is not null)
    select quarantined_at from before`
  return charge?.quarantinedAt
}

/** Lists the quarantined charges of all organizations, longest quarantined first; at most 1,000. */
export async function listQuarantinedCharges(db: Db): Promise<readonly QuarantinedCharge[]> {
  return await db<QuarantinedCharge[]>`
    select c.id, o.name as organization_name, c.environment, c.status, c.settlement_status, c.quarantined_at
    from charges c
    join organizations o on o.id = c.organization_id
    where c.quarantined_at is not null
    order by c.quarantined_at, c.id
    limit 1000`
}

/** Counts the quarantined charges of all organizations. */
export async function countQuarantinedCharges(db: Db): Promise<number> {
  const [row] = await db<[{ parked: number }]>`
    select count(*) as parked from charges where quarantined_at is not null`
  return row.parked
}
