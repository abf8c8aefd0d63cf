import type { Address, Hex } from '../../../domain/address.ts'
import type { TransactionSource } from '../../../domain/charge.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { TransferRejectionReason } from '../../../domain/transfer.ts'
import type { Db } from '../../connect.ts'
import { type ChainTableRow, selectLedgerRows } from './inclusion.ts'

/** A transfer in the canonical chain, with the identity that survives a reorganization. */
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
  /** Why the transfer will never be credited; `null` if it will be. */
  readonly rejectionReason: TransferRejectionReason | null
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly blockTimestamp: number
  readonly logIndex: number
}

/** Lists the transfers of a chain, from a block on, that are present, missing or denied. */
export async function listLedgerTransfers(
  db: Db,
  range: { chainId: number; fromBlock: number },
): Promise<readonly ChainTableRow[]> {
  return db<ChainTableRow[]>`${selectLedgerRows(db, 'transfers', range)}`
}

/**
 * Records transfers as present at their current position: new ones, and known ones that moved or came back.
 *
 * A transaction that is included again can pay another amount from another sender. Both therefore change until the
 * transfer is credited; counted values stay (decisions 3.8). The mark of being at depth applies to exactly the verified
 * content, so a row whose content or position changes loses the mark.
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
      value_atomic, amount_atto, accepted, rejection_reason, block_number, block_hash, block_timestamp, log_index,
      inclusion, ponder_schema)
    select r."chargeId", r.network, r.token, r.source, r."chainId", r."tokenAddress", r."txHash", r.ordinal, r.sender,
      r."valueAtomic", r."amountAtto", r."rejectionReason" is null, r."rejectionReason", r."blockNumber", r."blockHash",
      r."blockTimestamp", r."logIndex", 'included', ${ponderSchema}
    from jsonb_to_recordset(${db.json(rows)}) as r ("chargeId" text, network text, token text, source text,
      "chainId" int8, "tokenAddress" text, "txHash" text, ordinal int, sender text, "valueAtomic" numeric,
      "amountAtto" numeric, "rejectionReason" text, "blockNumber" int8, "blockHash" text, "blockTimestamp" int8,
      "logIndex" int)
    order by r."blockNumber", r."logIndex"
    on conflict (chain_id, tx_hash, token_address, charge_id, ordinal) do update set
      inclusion = 'included', missing_since = null, ponder_schema = excluded.ponder_schema,
      block_number = excluded.block_number, block_hash = excluded.block_hash,
      block_timestamp = excluded.block_timestamp, log_index = excluded.log_index,
      (corroborated_block_hash, agreed_at, agreed_by) = (
        select transfers.corroborated_block_hash, transfers.agreed_at, transfers.agreed_by
        where (transfers.block_number, transfers.block_hash, transfers.block_timestamp, transfers.log_index, transfers.sender,
            transfers.value_atomic, transfers.amount_atto, transfers.accepted, transfers.rejection_reason)
          is not distinct from (excluded.block_number, excluded.block_hash, excluded.block_timestamp, excluded.log_index,
            excluded.sender, excluded.value_atomic, excluded.amount_atto, excluded.accepted,
            excluded.rejection_reason)),
      sender = case when transfers.credited_at is null then excluded.sender else transfers.sender end,
      accepted = case when transfers.credited_at is null then excluded.accepted else transfers.accepted end,
      rejection_reason = case when transfers.credited_at is null then excluded.rejection_reason
        else transfers.rejection_reason end,
      value_atomic = case when transfers.credited_at is null then excluded.value_atomic else transfers.value_atomic end,
      amount_atto = case when transfers.credited_at is null then excluded.amount_atto else transfers.amount_atto end`
}
