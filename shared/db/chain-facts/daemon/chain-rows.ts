import type { Address, Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import type { LogPlace } from '../reconciliations.ts'
import type { ChainTable } from './presence.ts'

/**
 * All that a row of a chain table says, alike in each of them: who it is, where it stands, and what moved. Two sources
 * that differ in any of it do not show the same.
 */
export type ChainRow = LogPlace & {
  readonly chainId: number
  readonly chargeId: string
  /** Of a split event; empty in the other tables, which have one kind only. */
  readonly kind: string
  readonly tokenAddress: Address
  readonly ordinal: number
  readonly blockNumber: number
  /** In seconds: whether a payment was in time hangs on it. */
  readonly blockTimestamp: number
  /** Whom it names besides the charge: a transfer's sender, a split event's account, a movement's recipient. */
  readonly party: Address
  readonly amountAtomic: bigint
  /** Whether a transfer may ever be credited; everything else counts. */
  readonly isAccepted: boolean
}

type Transactions = { readonly chainId: number; readonly txHashes: readonly Hex[] }

/** Lists what is present in a table of some transactions of a chain. */
export async function listChainRows(
  db: Db,
  table: ChainTable,
  of: Transactions,
): Promise<readonly ChainRow[]> {
  return db<ChainRow[]>`${selectChainRows(db, table, of)} and r.presence = 'present'`
}

/** Lists all that a table has of some transactions of a chain, what is missing or vanished as well. */
export async function listAllChainRows(
  db: Db,
  table: ChainTable,
  of: Transactions,
): Promise<readonly ChainRow[]> {
  return db<ChainRow[]>`${selectChainRows(db, table, of)}`
}

function selectChainRows(db: Db, table: ChainTable, { chainId, txHashes }: Transactions) {
  const { kind, party, amountAtomic, isAccepted } = columnsOf(db, table)
  return db`
    select r.chain_id, r.charge_id, ${kind} as kind, r.token_address, r.tx_hash, r.ordinal, r.block_hash, r.log_index,
      r.block_number, r.block_timestamp, ${party} as party, ${amountAtomic} as amount_atomic, ${isAccepted} as is_accepted
    from ${db(table)} r
    where r.chain_id = ${chainId} and r.tx_hash = any (${txHashes})`
}

/**
 * Marks as deep where they stand, whatever head the feed has, those present rows that say exactly this. THE MARK IS WHAT
 * LETS A ROW COUNT (`at-depth.ts`): one that only stands at the same place may pay another charge, or another amount.
 */
export async function markDeep(db: Db, table: ChainTable, rows: readonly ChainRow[]): Promise<void> {
  const { kind, party, amountAtomic, isAccepted } = columnsOf(db, table)
  const said = rows.map((row) => ({ ...row, amountAtomic: String(row.amountAtomic) }))
  await db`
    update ${db(table)} r set deep_block_hash = r.block_hash
    from jsonb_to_recordset(${db.json(said)}) as s ("chainId" int8, "chargeId" text, kind text, "tokenAddress" text,
      "txHash" text, ordinal int, "blockHash" text, "logIndex" int, "blockNumber" int8, "blockTimestamp" int8, party text, "amountAtomic" numeric,
      "isAccepted" boolean)
    where r.chain_id = s."chainId" and r.tx_hash = s."txHash" and r.token_address = s."tokenAddress"
      and r.charge_id = s."chargeId" and r.ordinal = s.ordinal and ${kind} = s.kind
      and r.block_hash = s."blockHash" and r.log_index = s."logIndex" and r.block_number = s."blockNumber"
      and r.block_timestamp = s."blockTimestamp"
      and ${party} = s.party and ${amountAtomic} = s."amountAtomic" and ${isAccepted} = s."isAccepted"
      and r.presence = 'present' and r.deep_block_hash is distinct from r.block_hash`
}

/** Where a table, by the alias `r`, keeps what the others call otherwise or do not have. */
function columnsOf(db: Db, table: ChainTable) {
  const none = { kind: db`''`, isAccepted: db`true` }
  switch (table) {
    case 'transfers':
      return { ...none, party: db`r.sender`, amountAtomic: db`r.value_atomic`, isAccepted: db`r.accepted` }
    case 'split_events':
      return { ...none, party: db`r.account`, amountAtomic: db`r.amount_atomic`, kind: db`r.kind` }
    case 'escrow_movements':
      return { ...none, party: db`r.recipient`, amountAtomic: db`r.amount_atomic` }
  }
}
