import type { TransactionSource } from '../../../domain/charge.ts'
import type { EscrowAction } from '../../../domain/escrow-action.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import type { TransferRejectionReason } from '../../../domain/transfer.ts'
import type { Db } from '../../connect.ts'
import { columnsOf, toRowSet } from '../../rows.ts'
import type { ChainRow } from './chain-rows.ts'
import { type ChainTable, COLUMN_NAMES, getColumns } from './chain-tables.ts'

/** A transfer to a charge on the canonical chain. */
export type ObservedTransfer = ChainRow & {
  readonly network: Network
  readonly token: Token
  readonly source: TransactionSource
  readonly amountAtto: AttoDollars
  /** Why the transfer will never be credited; `null` if it can be. */
  readonly rejectionReason: TransferRejectionReason | null
}

/** A split's event on the canonical chain. */
export type ObservedSplitEvent = ChainRow & { readonly kind: 'distributed' | 'held' | 'released' }

/** A transfer out of a charge's Safe on the canonical chain. */
export type ObservedEscrowTransfer = ChainRow & {
  /**
   * Whether this token's transfers out of this Safe in the transaction, taken together, are a release or a refund. Does
   * not end the escrow, which `findEscrowEnd` decides from all transactions. The previous build reads this column
   * during a deployment.
   */
  readonly action: EscrowAction
  /** The part of the amount below one unit of the token, in 10⁻¹⁸ dollars. */
  readonly dustAtto: AttoDollars
}

/** Observed rows of each table. */
export type ObservedRows = {
  readonly transfers: readonly ObservedTransfer[]
  readonly split_events: readonly ObservedSplitEvent[]
  readonly escrow_transfers: readonly ObservedEscrowTransfer[]
}

/** An observed row of any table. */
export type ObservedRow = ObservedRows[ChainTable][number]

const IDENTITY = ['chain_id', 'tx_hash', 'token_address', 'charge_id', 'ordinal']
const POSITION = ['block_number', 'block_hash', 'block_timestamp', 'log_index']
/** Columns that never change, besides those of `IDENTITY`. */
const FIXED: Readonly<Record<ChainTable, string[]>> = {
  transfers: ['network', 'token', 'source'],
  split_events: ['kind'],
  escrow_transfers: [],
}
/** Columns that change until the row is counted. */
const CONTENT: Readonly<Record<ChainTable, string[]>> = {
  transfers: ['sender', 'value_atomic', 'amount_atto', 'accepted', 'rejection_reason'],
  split_events: ['account', 'amount_atomic'],
  escrow_transfers: ['action', 'recipient', 'amount_atomic', 'dust_atto'],
}

/**
 * Records new rows, and existing rows that moved or were included again, as included at their current position.
 *
 * A transaction that is included again can have other effects, such as another amount from another sender. The content
 * of a row may therefore change until the row is counted; counted values stay (decisions 3.8). A quorum's marks apply
 * only to the verified content and position. If either changes, the row loses the marks. A counted row without marks is
 * verified again (`listToVerify`).
 */
export async function recordChainRows<Table extends ChainTable>(
  db: Db,
  table: Table,
  {
    rows,
    ponderSchema,
  }: { readonly rows: readonly ObservedRows[Table][number][]; readonly ponderSchema: string | null },
): Promise<void> {
  const name: ChainTable = table
  const content = CONTENT[name]
  const columns = [...IDENTITY, ...FIXED[name], ...POSITION, ...content]
  const verified = [...POSITION, ...content]
  const identity = table === 'split_events' ? [...IDENTITY, 'kind'] : IDENTITY
  const { countedAt } = getColumns(db, table)
  await db`
    insert into ${db(name)} as r (${db(columns)}, inclusion, ponder_schema)
    select ${db(columns)}, 'included', ${ponderSchema}
    from ${toRowSet(db, name, { rows, names: COLUMN_NAMES[name] })} s
    order by block_number, log_index
    on conflict (${db(identity)}) do update set
      inclusion = 'included', missing_since = null, ponder_schema = excluded.ponder_schema,
      block_number = excluded.block_number, block_hash = excluded.block_hash,
      block_timestamp = excluded.block_timestamp, log_index = excluded.log_index,
      (corroborated_block_hash, agreed_at, agreed_by) = (
        select r.corroborated_block_hash, r.agreed_at, r.agreed_by
        where (${db(columnsOf('r', verified))}) is not distinct from (${db(columnsOf('excluded', verified))})),
      (${db(content)}) = (
        select ${db(columnsOf('excluded', content))} where ${countedAt} is null
        union all select ${db(columnsOf('r', content))} where ${countedAt} is not null)`
}
