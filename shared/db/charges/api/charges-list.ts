import { CHARGE_STATUSES, type ChargeStatus } from '../../../domain/charge.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { StaleAfter } from '../../chain-facts/stale.ts'
import type { Db } from '../../connect.ts'
import { type CurrentCharge, type CurrentRow, currentColumns, toCurrentCharge } from './charges-read.ts'

/** A charge in a list. A cursor needs the creation time in Unix microseconds, and a `Date` has only milliseconds. */
export type ListedCharge = CurrentCharge & { readonly createdAtMicros: number }

export type ChargeFilter = {
  readonly status?: ChargeStatus | undefined
  /**
   * Token of a pair with which the charge was paid, not of an accepted pair. With `network`, one pair must match both.
   */
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

/** Selects one page: the tenant, the filter, the position to continue after, and the maximum rows and bytes. */
export type ChargeListing = {
  readonly tenant: Tenant
  readonly filter: ChargeFilter
  readonly after: ChargePosition | null
  readonly limit: number
  /** Maximum bytes of a page. The first charge is always listed, regardless of its size. */
  readonly maxBytes: number
  readonly staleAfter: StaleAfter
}

/** A page, and whether more charges follow because the maximum of rows or of bytes ended the page. */
export type ListedPage = { readonly charges: readonly ListedCharge[]; readonly hasMore: boolean }

/**
 * Lists a tenant's charges, newest first.
 *
 * Merges at most ten ranges of one index, one per status and overpayment, all in the order of the list. A page reads
 * its own entries and one more of each range, regardless of the number of charges. The database sums the bytes, so rows
 * over the limit are never transferred.
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
 * Selects the charges of all ranges, with one query per range: PostgreSQL merges the ordered branches of a `union all`,
 * but would sort the result of an `in`.
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
 * Returns the table whose index lists the filter's charges in order, and the further condition. A search by paid pair
 * has its own table. A search by reference has its own index, and tests the paid pair of each charge found, because few
 * charges share a reference.
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

/**
 * Returns the condition that a charge was paid with a pair of this token and this network. If the token or the network
 * is missing, any matches.
 */
function isPaidWith(db: Db, { token, network }: ChargeFilter) {
  if (token === undefined && network === undefined) return db`true`
  return db`exists (
    select from unnest(paid_with) as pair
    where split_part(pair, '/', 1) = ${token ?? db`split_part(pair, '/', 1)`}
      and split_part(pair, '/', 2) = ${network ?? db`split_part(pair, '/', 2)`})`
}
