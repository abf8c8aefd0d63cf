import type { Address, Hex } from '../domain/address.ts'
import type { Db } from './connect.ts'

/** The tables of what a chain has shown. A row is present in the canonical chain, missing, or vanished from it. */
export type ChainTable = 'transfers' | 'split_events' | 'escrow_movements'

/** A row whose place in the canonical chain is in doubt. */
export type MissingRow = {
  readonly table: ChainTable
  readonly id: number
  readonly kind: 'transfer' | 'distributed' | 'held' | 'released' | 'escrow_movement'
  /** The address it pays, the split that logged it, or the Safe it left. */
  readonly account: Address
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

/** Lists the missing rows of a chain, oldest first, at most `limit` of each table. */
export async function listMissing(
  db: Db,
  { chainId, limit }: { readonly chainId: number; readonly limit: number },
): Promise<readonly MissingRow[]> {
  return db<MissingRow[]>`
    (select 'transfers' as table, t.id, 'transfer' as kind, c.address as account, t.token_address, t.tx_hash, t.ordinal,
       t.block_number, t.missing_since, t.credited_at is not null as is_counted
     from transfers t join charges c on c.id = t.charge_id
     where t.chain_id = ${chainId} and t.presence = 'missing' order by t.id limit ${limit})
    union all
    (select 'split_events', s.id, s.kind, c.split_address, s.token_address, s.tx_hash, s.ordinal, s.block_number,
       s.missing_since, s.applied_at is not null
     from split_events s join charges c on c.id = s.charge_id
     where s.chain_id = ${chainId} and s.presence = 'missing' order by s.id limit ${limit})
    union all
    (select 'escrow_movements', m.id, 'escrow_movement', c.address, m.token_address, m.tx_hash, m.ordinal,
       m.block_number, m.missing_since, m.applied_at is not null
     from escrow_movements m join charges c on c.id = m.charge_id
     where m.chain_id = ${chainId} and m.presence = 'missing' order by m.id limit ${limit})`
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
