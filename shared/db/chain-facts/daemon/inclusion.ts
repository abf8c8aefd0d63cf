import type { Address, Hex } from '../../../domain/address.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** Tables of rows read from a chain. A row is included in the canonical chain, missing, or orphaned by it. */
export const CHAIN_TABLES = ['transfers', 'split_events', 'escrow_transfers'] as const

export type ChainTable = (typeof CHAIN_TABLES)[number]

/** Prefixes of the row names that operators use: `transfer:12` (`npm run charges -- strike`). */
const ROW_KINDS = {
  transfers: 'transfer',
  split_events: 'split-event',
  escrow_transfers: 'escrow-transfer',
} as const satisfies Readonly<Record<ChainTable, string>>

/** Returns the name that operators use for a row. */
export function formatRowName({ table, id }: { readonly table: ChainTable; readonly id: number }): string {
  return `${ROW_KINDS[table]}:${id}`
}

/** The columns of a chain table's row that are compared with the chain. */
export type ChainTableRow = {
  readonly id: number
  readonly chargeId: string
  readonly tokenAddress: Address
  readonly txHash: Hex
  readonly ordinal: number
  /** `denied`: a quorum reports that inclusion without the row, although the feed still shows the row. */
  readonly inclusion: 'included' | 'missing' | 'denied'
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly logIndex: number
  readonly ponderSchema: string | null
}

/** Selects the rows of a table from a block on. Excludes orphaned rows, unless a quorum denied them. */
export function selectLedgerRows(
  db: Db,
  table: ChainTable,
  { chainId, fromBlock }: { readonly chainId: number; readonly fromBlock: number },
) {
  const kind = table === 'split_events' ? db`kind,` : db``
  const columns = db`id, charge_id, ${kind} token_address, tx_hash, ordinal`
  const position = db`block_number, block_hash, log_index, ponder_schema`
  const range = db`where chain_id = ${chainId} and block_number >= ${fromBlock}`
  return db`
    select ${columns}, inclusion, ${position} from ${db(table)} ${range} and inclusion <> 'orphaned'
    union all
    select ${columns}, 'denied', ${position} from ${db(table)} ${range}
      and inclusion = 'orphaned' and denied_block_hash = block_hash`
}

/** A row that might no longer be in the canonical chain, with its charge. */
export type MissingRow = {
  readonly table: ChainTable
  readonly id: number
  /** Kind of a split event; `null` for the other tables, which have a single kind. */
  readonly splitKind: 'distributed' | 'held' | 'released' | null
  readonly chargeId: string
  readonly address: Address
  readonly splitAddress: Address
  readonly environment: Environment
  readonly acceptedPayments: readonly string[]
  readonly tokenAddress: Address
  readonly txHash: Hex
  readonly ordinal: number
  readonly blockNumber: number
  readonly missingSince: Date
  readonly isCounted: boolean
}

/** Marks rows that Ponder no longer shows as missing, until a node's response proves more. */
export async function markMissing(db: Db, table: ChainTable, ids: readonly number[]): Promise<void> {
  await db`
    update ${db(table)} set inclusion = 'missing', missing_since = date_trunc('milliseconds', now())
    where id = any (${ids}) and inclusion = 'included'`
}

/**
 * Lists the missing rows of a chain, least recently checked first, at most `limit` per table. This order prevents rows
 * without a result from starving the others.
 */
export async function listMissingRows(
  db: Db,
  { chainId, limit }: { readonly chainId: number; readonly limit: number },
): Promise<readonly MissingRow[]> {
  const ofCharge = db`c.id as charge_id, c.address, c.split_address, c.environment, c.accepted_payments`
  const place = db`m.token_address, m.tx_hash, m.ordinal, m.block_number, m.missing_since`
  const oldest = db`
    join charges c on c.id = m.charge_id
    where m.chain_id = ${chainId} and m.inclusion = 'missing' order by m.checked_at, m.id limit ${limit}`
  return db<MissingRow[]>`
    (select 'transfers' as table, m.id, null as split_kind, ${ofCharge}, ${place}, m.credited_at is not null as is_counted
     from transfers m ${oldest})
    union all
    (select 'split_events', m.id, m.kind, ${ofCharge}, ${place}, m.applied_at is not null
     from split_events m ${oldest})
    union all
    (select 'escrow_transfers', m.id, null, ${ofCharge}, ${place}, m.applied_at is not null
     from escrow_transfers m ${oldest})`
}

/** Records that these rows were checked, regardless of the result. Others come first in the next list. */
export async function markChecked(db: Db, table: ChainTable, ids: readonly number[]): Promise<void> {
  await db`update ${db(table)} set checked_at = now() where id = any (${ids}) and inclusion = 'missing'`
}

/**
 * Marks a missing row as orphaned, unless it has been seen again since.
 *
 * @returns whether this call marked it
 */
export async function markOrphaned(
  db: Db,
  { table, id, missingSince }: Pick<MissingRow, 'table' | 'id' | 'missingSince'>,
): Promise<boolean> {
  const moved = await db`
    update ${db(table)} set inclusion = 'orphaned'
    where id = ${id} and inclusion = 'missing' and missing_since = ${missingSince}
    returning id`
  return moved.length > 0
}
