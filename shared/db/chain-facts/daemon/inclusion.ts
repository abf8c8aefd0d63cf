import type { Db } from '../../connect.ts'
import type { LogPosition } from '../reconciliations.ts'
import type { WatchedCharge } from '../watched-charges.ts'
import type { ChainRow } from './chain-rows.ts'
import { type ChainTable, getColumns, unionTables } from './chain-tables.ts'

/** The columns of a chain table that are compared with Ponder's rows. */
export type LedgerRow = LogPosition &
  LoggedFact & {
    /** `denied`: orphaned, because a quorum shows the row's block without the row. */
    readonly inclusion: 'included' | 'missing' | 'denied'
    readonly ponderSchema: string | null
  }

/** A row's id and the values of its log. `kind` is empty except for split events. */
type LoggedFact = Pick<
  ChainRow,
  'chargeId' | 'kind' | 'tokenAddress' | 'txHash' | 'ordinal' | 'blockNumber'
> & {
  readonly id: number
}

/**
 * Lists a chain's rows in a table, from a block on. Orphaned rows are excluded, unless a quorum has denied them in
 * their current block.
 */
export async function listLedgerRows(
  db: Db,
  table: ChainTable,
  { chainId, fromBlock }: { readonly chainId: number; readonly fromBlock: number },
): Promise<readonly LedgerRow[]> {
  const columns = db`id, charge_id, ${getColumns(db, table).kind} as kind, token_address, tx_hash, ordinal, block_number,
    block_hash, log_index, ponder_schema`
  const range = db`from ${db(table)} r where chain_id = ${chainId} and block_number >= ${fromBlock}`
  return db<LedgerRow[]>`
    select ${columns}, inclusion ${range} and inclusion <> 'orphaned'
    union all
    select ${columns}, 'denied' ${range} and inclusion = 'orphaned' and denied_block_hash = block_hash`
}

/** A row that might no longer be in the canonical chain, with its charge. */
export type MissingRow = LoggedFact &
  Omit<WatchedCharge, 'id'> & {
    readonly table: ChainTable
    readonly missingSince: Date
    readonly isCounted: boolean
  }

/** Marks rows as missing when Ponder no longer shows them. The nodes decide later whether the rows are orphaned. */
export async function markMissing(db: Db, table: ChainTable, ids: readonly number[]): Promise<void> {
  await db`
    update ${db(table)} set inclusion = 'missing', missing_since = date_trunc('milliseconds', now())
    where id = any (${ids}) and inclusion = 'included'`
}

/**
 * Lists the missing rows of a chain, at most `limit` per table, least recently checked first, so that rows whose check
 * has no result do not starve other rows.
 */
export async function listMissingRows(
  db: Db,
  { chainId, limit }: { readonly chainId: number; readonly limit: number },
): Promise<readonly MissingRow[]> {
  return db<MissingRow[]>`${unionTables(db, (table) => {
    const { kind, countedAt } = getColumns(db, table)
    return db`
      select ${table} as table, r.id, ${kind} as kind, c.id as charge_id, c.address, c.split_address, c.environment,
        c.accepted_payments, r.token_address, r.tx_hash, r.ordinal, r.block_number, r.missing_since,
        ${countedAt} is not null as is_counted
      from ${db(table)} r join charges c on c.id = r.charge_id
      where r.chain_id = ${chainId} and r.inclusion = 'missing' order by r.checked_at, r.id limit ${limit}`
  })}`
}

/** Records that these rows were checked, with or without a result, so that other rows are checked first next time. */
export async function markChecked(db: Db, table: ChainTable, ids: readonly number[]): Promise<void> {
  await db`update ${db(table)} set checked_at = now() where id = any (${ids}) and inclusion = 'missing'`
}

/**
 * Marks a missing row as orphaned, unless it has been included again since `missingSince`. Returns whether this call
 * marked it.
 */
export async function markOrphaned(
  db: Db,
  { table, id, missingSince }: Pick<MissingRow, 'table' | 'id' | 'missingSince'>,
): Promise<boolean> {
  const { count } = await db`
    update ${db(table)} set inclusion = 'orphaned'
    where id = ${id} and inclusion = 'missing' and missing_since = ${missingSince}`
  return count > 0
}
