import type { Address, Hex } from '../../../domain/address.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** The tables of what a chain has shown. A row is present in the canonical chain, missing, or vanished from it. */
export const CHAIN_TABLES = ['transfers', 'split_events', 'escrow_movements'] as const

export type ChainTable = (typeof CHAIN_TABLES)[number]

/** What operators call a row of each table: `transfer:12` (`npm run charges -- strike`). */
const ROW_KINDS = {
  transfers: 'transfer',
  split_events: 'split-event',
  escrow_movements: 'escrow-transfer',
} as const satisfies Readonly<Record<ChainTable, string>>

/** Returns the name of a row as operators see it. */
export function rowNameOf({ table, id }: { readonly table: ChainTable; readonly id: number }): string {
  return `${ROW_KINDS[table]}:${id}`
}

/** What the ledger has of something that a chain has shown; enough to compare. */
export type ChainTableRow = {
  readonly id: number
  readonly chargeId: string
  readonly tokenAddress: Address
  readonly txHash: Hex
  readonly ordinal: number
  /** `denied`: a quorum shows that inclusion without the row, although the feed goes on to show it. */
  readonly presence: 'present' | 'missing' | 'denied'
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly logIndex: number
  readonly ponderSchema: string | null
}

/** Selects what the ledger has of a table from a block on, but for rows that the chain has dropped. */
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
    select ${columns}, presence, ${position} from ${db(table)} ${range} and presence <> 'vanished'
    union all
    select ${columns}, 'denied', ${position} from ${db(table)} ${range}
      and presence = 'vanished' and denied_block_hash = block_hash`
}

/** A row whose place in the canonical chain is in doubt, and the charge it is of. */
export type MissingRow = {
  readonly table: ChainTable
  readonly id: number
  /** Of a split event; the other tables have one kind only. */
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

/** Marks rows that Ponder no longer shows; they are missing until a node's answer proves more. */
export async function markMissing(db: Db, table: ChainTable, ids: readonly number[]): Promise<void> {
  await db`
    update ${db(table)} set presence = 'missing', missing_since = date_trunc('milliseconds', now())
    where id = any (${ids}) and presence = 'present'`
}

/**
 * Lists the missing rows of a chain, those first whose last judgement is oldest, at most `limit` of each table: so rows
 * about which nothing can be said take turns with the others.
 */
export async function listMissing(
  db: Db,
  { chainId, limit }: { readonly chainId: number; readonly limit: number },
): Promise<readonly MissingRow[]> {
  const ofCharge = db`c.id as charge_id, c.address, c.split_address, c.environment, c.accepted_payments`
  const place = db`m.token_address, m.tx_hash, m.ordinal, m.block_number, m.missing_since`
  const oldest = db`
    join charges c on c.id = m.charge_id
    where m.chain_id = ${chainId} and m.presence = 'missing' order by m.judged_at, m.id limit ${limit}`
  return db<MissingRow[]>`
    (select 'transfers' as table, m.id, null as split_kind, ${ofCharge}, ${place}, m.credited_at is not null as is_counted
     from transfers m ${oldest})
    union all
    (select 'split_events', m.id, m.kind, ${ofCharge}, ${place}, m.applied_at is not null
     from split_events m ${oldest})
    union all
    (select 'escrow_movements', m.id, null, ${ofCharge}, ${place}, m.applied_at is not null
     from escrow_movements m ${oldest})`
}

/** Writes down that these rows were judged, whatever came of it; the next time others come before them. */
export async function markJudged(db: Db, table: ChainTable, ids: readonly number[]): Promise<void> {
  await db`update ${db(table)} set judged_at = now() where id = any (${ids}) and presence = 'missing'`
}

/**
 * Marks a missing row as gone from the canonical chain, unless it has been seen again since.
 *
 * @returns whether it did
 */
export async function markVanished(
  db: Db,
  { table, id, missingSince }: Pick<MissingRow, 'table' | 'id' | 'missingSince'>,
): Promise<boolean> {
  const moved = await db`
    update ${db(table)} set presence = 'vanished'
    where id = ${id} and presence = 'missing' and missing_since = ${missingSince}
    returning id`
  return moved.length > 0
}
