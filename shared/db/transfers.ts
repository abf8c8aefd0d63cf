import type { Address, Hex } from '../domain/address.ts'
import type { TransactionSource } from '../domain/charge.ts'
import type { AtomicUnits, AttoDollars } from '../domain/money.ts'
import type { Network, Token } from '../domain/networks.ts'
import type { Db } from './connect.ts'

/** A transfer as the canonical chain has it, with the identity that survives a reorganization. */
export type ObservedTransfer = {
  readonly chargeId: string
  readonly network: Network
  readonly token: Token
  readonly source: TransactionSource
  readonly chainId: number
  readonly tokenAddress: Address
  readonly txHash: Hex
  readonly ordinal: number
  readonly sender: Address
  readonly valueAtomic: AtomicUnits
  readonly amountAtto: AttoDollars
  /** Whether it is on a pair the charge accepts, in the charge's environment. */
  readonly accepted: boolean
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly blockTimestamp: number
  readonly logIndex: number
}

/** What the ledger has of a transfer on chain; enough to compare. */
export type LedgerTransfer = {
  readonly id: number
  readonly chargeId: string
  readonly tokenAddress: Address
  readonly txHash: Hex
  readonly ordinal: number
  readonly presence: 'present' | 'missing'
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly logIndex: number
  readonly ponderSchema: string | null
}

/** Lists the transfers of a chain that are not vanished, from a block on. */
export async function listLedgerTransfers(
  db: Db,
  range: { chainId: number; fromBlock: number },
): Promise<readonly LedgerTransfer[]> {
  return db<LedgerTransfer[]>`
    select id, charge_id, token_address, tx_hash, ordinal, presence, block_number, block_hash, log_index, ponder_schema
    from transfers
    where chain_id = ${range.chainId} and block_number >= ${range.fromBlock} and presence <> 'vanished'`
}

/**
 * Records transfers as present where the chain has them now: new ones, and known ones that moved or came back.
 *
 * A contract may pay another amount when its transaction is included again, so the amount moves too, until it is
 * credited: what was counted stays what it was (decisions 3.8).
 */
export async function recordTransfers(
  db: Db,
  observed: readonly ObservedTransfer[],
  ponderSchema: string | null,
): Promise<void> {
  const rows = observed.map((row) => ({
    ...row,
    valueAtomic: String(row.valueAtomic),
    amountAtto: String(row.amountAtto),
  }))
  await db`
    insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
      value_atomic, amount_atto, accepted, block_number, block_hash, block_timestamp, log_index, presence, ponder_schema)
    select r."chargeId", r.network, r.token, r.source, r."chainId", r."tokenAddress", r."txHash", r.ordinal, r.sender,
      r."valueAtomic", r."amountAtto", r.accepted, r."blockNumber", r."blockHash", r."blockTimestamp", r."logIndex",
      'present', ${ponderSchema}
    from jsonb_to_recordset(${db.json(rows)}) as r ("chargeId" text, network text, token text, source text,
      "chainId" int8, "tokenAddress" text, "txHash" text, ordinal int, sender text, "valueAtomic" numeric,
      "amountAtto" numeric, accepted boolean, "blockNumber" int8, "blockHash" text, "blockTimestamp" int8,
      "logIndex" int)
    order by r."blockNumber", r."logIndex"
    on conflict (chain_id, tx_hash, token_address, charge_id, ordinal) do update set
      presence = 'present', missing_since = null, ponder_schema = excluded.ponder_schema,
      block_number = excluded.block_number, block_hash = excluded.block_hash,
      block_timestamp = excluded.block_timestamp, log_index = excluded.log_index,
      sender = case when transfers.credited_at is null then excluded.sender else transfers.sender end,
      value_atomic = case when transfers.credited_at is null then excluded.value_atomic else transfers.value_atomic end,
      amount_atto = case when transfers.credited_at is null then excluded.amount_atto else transfers.amount_atto end`
}

/** Marks transfers that Ponder no longer shows; they are missing until a node's answer proves more. */
export async function markTransfersMissing(db: Db, ids: readonly number[]): Promise<void> {
  await db`
    update transfers set presence = 'missing', missing_since = date_trunc('milliseconds', now())
    where id = any (${ids}) and presence = 'present'`
}

/** A row whose place in the canonical chain is in doubt. */
export type MissingRow = {
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

/** Lists the missing transfers of a chain, oldest first, at most `limit`. */
export async function listMissingTransfers(
  db: Db,
  query: { chainId: number; limit: number },
): Promise<readonly MissingRow[]> {
  return db<MissingRow[]>`
    select t.id, 'transfer' as kind, c.address as account, t.token_address, t.tx_hash, t.ordinal, t.block_number,
      t.missing_since, t.credited_at is not null as is_counted
    from transfers t join charges c on c.id = t.charge_id
    where t.chain_id = ${query.chainId} and t.presence = 'missing' order by t.id limit ${query.limit}`
}

/** Marks a transfer as gone from the canonical chain, unless it has been seen again since. */
export async function markTransferVanished(db: Db, row: MissingRow): Promise<boolean> {
  const moved = await db`
    update transfers set presence = 'vanished'
    where id = ${row.id} and presence = 'missing' and missing_since = ${row.missingSince}
    returning id`
  return moved.length > 0
}
