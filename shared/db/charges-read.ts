import type { ChargeRecord, ChargeStatus } from '../domain/charge.ts'
import type { Environment, Network, Token } from '../domain/networks.ts'
import { type ChargeRow, chargeColumns, toChargeRecord } from './charge-row.ts'
import type { Db } from './connect.ts'

/** A charge as it is now, and whether paying it is to be discouraged (decisions 2.4). */
export type CurrentCharge = {
  readonly charge: ChargeRecord
  readonly paymentUnavailable: boolean
}

/** A charge of a list; `createdAt` in Unix microseconds is finer than a `Date`, and what a cursor needs. */
export type ListedCharge = CurrentCharge & { readonly createdAtMicros: number }

/** A deployment's head is stale after this many of its block times, and at least this long. */
export type StaleAfter = { readonly blocks: number; readonly atLeastMs: number }

/** Whose charges: nothing of another organization or the other environment is ever found. */
export type Tenant = { readonly organizationId: string; readonly environment: Environment }

export type ChargeFilter = {
  readonly status?: ChargeStatus | undefined
  /** Of a pair it was paid with, not one it accepts. */
  readonly token?: Token | undefined
  readonly network?: Network | undefined
  readonly isOverpaid?: boolean | undefined
  readonly since?: Date | undefined
}

/** Where a page of a list ended. */
export type ChargePosition = { readonly createdAtMicros: number; readonly id: string }

/** Finds one charge of a tenant, or answers `null`. */
export async function findCharge(
  db: Db,
  input: { tenant: Tenant; id: string; staleAfter: StaleAfter },
): Promise<CurrentCharge | null> {
  const { tenant, id, staleAfter } = input
  const [charge] = await findChargesOf(db, { wanted: [{ tenant, id }], staleAfter })
  return charge ?? null
}

/** Finds each of these charges if it is that tenant's, in their order; `null` for the others. */
export async function findChargesOf(
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

/** Finds charges of any tenant by their ids, in no particular order; who may see them is for the caller to know. */
export async function findCharges(
  db: Db,
  input: { ids: readonly string[]; staleAfter: StaleAfter },
): Promise<readonly CurrentCharge[]> {
  const rows = await db<CurrentRow[]>`
    select ${currentColumns(db, input.staleAfter)} from charges c where c.id = any (${input.ids})`
  return rows.map(toCurrentCharge)
}

/**
 * Lists a tenant's charges, newest first, from the one after `after`.
 *
 * Reads one index in its order and stops at the limit; filtered by a paid pair, an index of `charge_pairs`, where a
 * charge paid in two pairs stands twice.
 */
export async function listCharges(
  db: Db,
  input: {
    tenant: Tenant
    filter: ChargeFilter
    after: ChargePosition | null
    limit: number
    staleAfter: StaleAfter
  },
): Promise<readonly ListedCharge[]> {
  const { filter } = input
  const source =
    filter.token === undefined && filter.network === undefined
      ? db`charges c where ${inRange(db, input, { table: 'c', id: 'id' })}`
      : db`
        (select distinct p.created_at, p.charge_id from charge_pairs p
         where ${inRange(db, input, { table: 'p', id: 'charge_id' })} and p.paid
           ${filter.token === undefined ? db`` : db`and p.token = ${filter.token}`}
           ${filter.network === undefined ? db`` : db`and p.network = ${filter.network}`}
         order by p.created_at desc, p.charge_id desc) paid
        join charges c on c.id = paid.charge_id
        where true`
  const rows = await db<(CurrentRow & { createdAtMicros: number })[]>`
    select ${currentColumns(db, input.staleAfter)},
      (extract(epoch from c.created_at) * 1000000)::bigint as created_at_micros
    from ${source}
      ${filter.status === undefined ? db`` : db`and c.status = ${filter.status}`}
      ${filter.isOverpaid === undefined ? db`` : filter.isOverpaid ? db`and c.is_overpaid` : db`and not c.is_overpaid`}
    order by c.created_at desc, c.id desc
    limit ${input.limit}`
  return rows.map((row) => ({ ...toCurrentCharge(row), createdAtMicros: row.createdAtMicros }))
}

type CurrentRow = ChargeRow & { readonly paymentUnavailable: boolean }

function currentColumns(db: Db, staleAfter: StaleAfter) {
  return db`
    ${chargeColumns(db)},
    c.status in ('pending', 'partially_paid') and (
      exists (select from pairs p where p.environment = c.environment and p.paused_at is not null
        and p.token || '/' || p.network = any (c.accepted_payments))
      or exists (select from deployments d where d.chain_id = any (c.accepted_chains) and coalesce(
        d.highest_head_at < now() - interval '1 millisecond'
          * greatest(d.block_time_ms * ${staleAfter.blocks}::int, ${staleAfter.atLeastMs}::int), true))
    ) as payment_unavailable`
}

/** The condition on tenant, `since` and position; `table` holds one index in the order of the list. */
function inRange(
  db: Db,
  input: { tenant: Tenant; filter: ChargeFilter; after: ChargePosition | null },
  columns: { table: string; id: string },
) {
  const { tenant, filter, after } = input
  const createdAt = db(`${columns.table}.created_at`)
  return db`
    ${db(`${columns.table}.organization_id`)} = ${tenant.organizationId}
    and ${db(`${columns.table}.environment`)} = ${tenant.environment}
    ${filter.since === undefined ? db`` : db`and ${createdAt} >= ${filter.since}`}
    ${
      after === null
        ? db``
        : db`and (${createdAt}, ${db(`${columns.table}.${columns.id}`)})
          < ('epoch'::timestamptz + ${after.createdAtMicros}::bigint * interval '1 microsecond', ${after.id})`
    }`
}

function isOf(tenant: Tenant, { charge }: CurrentCharge): boolean {
  return charge.organizationId === tenant.organizationId && charge.environment === tenant.environment
}

function toCurrentCharge(row: CurrentRow): CurrentCharge {
  return { charge: toChargeRecord(row), paymentUnavailable: row.paymentUnavailable }
}
