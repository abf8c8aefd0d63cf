import { CHARGE_STATUSES, type ChargeStatus } from '../../../domain/charge.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { StaleAfter } from '../../chain-facts/stale.ts'
import type { Db } from '../../connect.ts'
import { type CurrentCharge, type CurrentRow, currentColumns, toCurrentCharge } from './charges-read.ts'

/** A charge in a list. A cursor needs the creation time in Unix microseconds; a `Date` has only milliseconds. */
export type ListedCharge = CurrentCharge & { readonly createdAtMicros: number }

export type ChargeFilter = {
  readonly status?: ChargeStatus | undefined
  /** Token with which the charge was paid, not an accepted token. With `network`, one paid pair must match both. */
  readonly token?: Token | undefined
  readonly network?: Network | undefined
  readonly isOverpaid?: boolean | undefined
  /** Inclusive lower bound of the creation time. */
  readonly since?: Date | undefined
  /** Exclusive upper bound of the creation time. */
  readonly until?: Date | undefined
  /** Exact match. */
  readonly externalRef?: string | undefined
}

/** Position of the last charge of a page. */
export type ChargePosition = { readonly createdAtMicros: number; readonly id: string }

/** The page to list. */
export type ChargeListing = {
  readonly tenant: Tenant
  readonly filter: ChargeFilter
  readonly after: ChargePosition | null
  readonly limit: number
  /** Approximate maximum size of a page. The first charge is always listed, regardless of its size. */
  readonly maxBytes: number
  readonly staleAfter: StaleAfter
}

/** A page, and whether more charges follow it. */
export type ListedPage = { readonly charges: readonly ListedCharge[]; readonly hasMore: boolean }

/**
 * Lists a tenant's charges, newest first.
 *
 * Merges at most ten ranges of one index: one for each status, with and without overpayment, each in the order of the
 * list. A range reads at most `limit` + 1 index entries, regardless of the number of charges. The database sums the
 * bytes, so rows over the limit are never transferred.
 */
export async function listCharges(db: Db, listing: ChargeListing): Promise<ListedPage> {
  const { limit, maxBytes, staleAfter } = listing
  const rows = await db<(CurrentRow & { createdAtMicros: number; found: number })[]>`
    select ${currentColumns(db, staleAfter)},
      (extract(epoch from c.listed_at) * 1000000)::bigint as created_at_micros, c.found
    from (
      select c.*, page.created_at as listed_at, page.id as listed_id, row_number() over listed as place,
        sum(${ROW_BYTES} + coalesce(octet_length(c.metadata), 0)) over listed as bytes, count(*) over () as found
      from (
        select id, created_at from (${mergeRanges(db, listing)}) ranges
        order by created_at desc, id desc
        limit ${limit + 1}
      ) page
      join charges c on c.id = page.id
      window listed as (order by page.created_at desc, page.id desc)
    ) c
    where c.place <= ${limit} and (c.place = 1 or c.bytes <= ${maxBytes})
    order by c.listed_at desc, c.listed_id desc`
  return {
    charges: rows.map((row) => ({ ...toCurrentCharge(row), createdAtMicros: row.createdAtMicros })),
    hasMore: (rows[0]?.found ?? 0) > rows.length,
  }
}

/** Approximate bytes of a charge without its metadata: split terms, recipients with labels, a URL. */
const ROW_BYTES = 4096

/**
 * Selects the charges of all ranges, with one query per range, because PostgreSQL merges the ordered branches of a
 * `union all`, but would sort the result of an `in`.
 */
function mergeRanges(db: Db, { tenant, filter, after, limit }: ChargeListing) {
  const { status, isOverpaid, since, until } = filter
  const { table, id, isWanted } = sourceOf(db, filter)
  const statuses = status === undefined ? CHARGE_STATUSES : [status]
  const overpayments = isOverpaid === undefined ? [false, true] : [isOverpaid]
  return statuses
    .flatMap((each) => overpayments.map((isOver) => ({ status: each, isOver })))
    .map(
      (range) => db`
        (select ${id} as id, created_at from ${table}
        where organization_id = ${tenant.organizationId} and environment = ${tenant.environment} and ${isWanted}
          and status = ${range.status} and is_overpaid = ${range.isOver}
          ${since === undefined ? db`` : db`and created_at >= ${since}`}
          ${until === undefined ? db`` : db`and created_at < ${until}`}
          ${
            after === null
              ? db``
              : db`and (created_at, ${id})
                < ('epoch'::timestamptz + ${after.createdAtMicros}::bigint * interval '1 microsecond', ${after.id})`
          }
        order by created_at desc, ${id} desc
        limit ${limit + 1})`,
    )
    .reduce((earlier, range) => db`${earlier} union all ${range}`)
}

/**
 * Returns the table whose index lists the filter's charges in order, and the remaining condition. A search by paid pair
 * has its own table. A search by reference has its own index, and tests the paid pairs of each charge that it finds,
 * because few charges share a reference.
 */
function sourceOf(db: Db, { token, network, externalRef }: ChargeFilter) {
  const paidWith = [token, network].filter((part) => part !== undefined).join('/')
  const charges = { table: db`charges`, id: db`id` }
  if (externalRef !== undefined) {
    return {
      ...charges,
      isWanted: db`external_ref = ${externalRef} and ${isPaidWith(db, { token, network })}`,
    }
  }
  if (paidWith === '') return { ...charges, isWanted: db`true` }
  return { table: db`charges_by_paid_with`, id: db`charge_id`, isWanted: db`paid_with = ${paidWith}` }
}

/** Returns the condition that a charge was paid with a pair of this token (if given) and this network (if given). */
function isPaidWith(db: Db, { token, network }: ChargeFilter) {
  if (token === undefined && network === undefined) return db`true`
  return db`exists (
    select from unnest(paid_with) as pair
    where split_part(pair, '/', 1) = ${token ?? db`split_part(pair, '/', 1)`}
      and split_part(pair, '/', 2) = ${network ?? db`split_part(pair, '/', 2)`})`
}
