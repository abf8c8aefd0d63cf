import type { Account, AccountingEntry } from '../../../domain/accounting/entry.ts'
import type { Address } from '../../../domain/address.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'

/**
 * An entry of a merchant's books, as the export reads it. Amounts in `legs` are integers as text, with `decimals`
 * fractional digits: the token's decimals, or 18 if an amount is not a whole number of the token's units.
 */
export type ExportRow = Omit<AccountingEntry, 'legs' | 'countedAt'> & {
  readonly externalRef: string | null
  /** The charge's status at the time of the export. */
  readonly chargeStatus: string
  readonly legs: readonly {
    readonly account: Account
    readonly amount: string
    readonly party: Address | null
  }[]
  readonly recordedAt: Date
  /** The position after which the next page continues. */
  readonly position: ExportPosition
}

/** Position of an entry in the export. The time is text, because a `Date` would lose its microseconds. */
export type ExportPosition = { readonly postedAt: string; readonly entryId: string }

/**
 * Entries posted at or after `from` and before `to`. If the other two times are not `null`, the entries must also be
 * recorded at or after `recordedSince` and before `recordedUntil`.
 */
export type ExportRange = {
  readonly tenant: Tenant
  readonly from: Date
  readonly to: Date
  readonly recordedSince: Date | null
  readonly recordedUntil: Date | null
}

/**
 * Lists the entries of a range after a position, in the order of posting. Read-only; locks nothing.
 *
 * The export reads each page by the index. With one cursor for a large range, the planner would sort all rows on disk
 * before it returns the first.
 */
export async function listExportEntries(
  db: Db,
  range: ExportRange,
  { after, limit }: { readonly after: ExportPosition | null; readonly limit: number },
): Promise<readonly ExportRow[]> {
  const { tenant, from, to, recordedSince, recordedUntil } = range
  const rows = await db<(Omit<ExportRow, 'position'> & { positionTime: string })[]>`
    select e.entry_id, e.category, e.corrects, e.charge_id, e.network, e.token, e.chain_id, e.token_address, e.tx_hash,
      e.block_number, e.decimals, e.legs, e.posted_at, e.recorded_at, e.posted_at::text as position_time,
      c.external_ref, c.status as charge_status
    from accounting_entries e cross join lateral (
      select external_ref, status from charges where id = e.charge_id limit 1) c
    where e.organization_id = ${tenant.organizationId} and e.environment = ${tenant.environment}
      and e.posted_at >= ${from} and e.posted_at < ${to}
      ${after === null ? db`` : db`and (e.posted_at, e.entry_id) > (${after.postedAt}::text::timestamptz, ${after.entryId})`}
      ${recordedSince === null ? db`` : db`and e.recorded_at >= ${recordedSince}`}
      ${recordedUntil === null ? db`` : db`and e.recorded_at < ${recordedUntil}`}
    order by e.posted_at, e.entry_id
    limit ${limit}`
  return rows.map(({ positionTime, ...row }) => ({
    ...row,
    position: { postedAt: positionTime, entryId: row.entryId },
  }))
}

type PlacedEntry = { readonly position: ExportPosition; readonly postedAt: Date; readonly recordedAt: Date }

/** Finds the position of one of a tenant's entries; `null` if the tenant has no such entry. */
export async function findExportPosition(
  db: Db,
  tenant: Tenant,
  entryId: string,
): Promise<PlacedEntry | null> {
  const [found] = await db<{ postedAt: Date; recordedAt: Date; positionTime: string }[]>`
    select posted_at, recorded_at, posted_at::text as position_time from accounting_entries
    where entry_id = ${entryId} and organization_id = ${tenant.organizationId} and environment = ${tenant.environment}`
  if (found === undefined) return null
  const { positionTime, ...times } = found
  return { ...times, position: { postedAt: positionTime, entryId } }
}

/** Allows the caller's transaction to be idle for up to `maxIdleMs`, while a client reads the export. */
export async function allowIdling(db: Db, { maxIdleMs }: { readonly maxIdleMs: number }): Promise<void> {
  await db`select set_config('idle_in_transaction_session_timeout', ${String(maxIdleMs)}, true)`
}
