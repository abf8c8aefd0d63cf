import type { Address, Hex } from '../../../domain/address.ts'
import type { EscrowAction } from '../../../domain/escrow-action.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import { atDepth } from '../../chain-facts/daemon/at-depth.ts'
import { type ChainTableRow, selectLedgerRows } from '../../chain-facts/daemon/inclusion.ts'
import type { Db } from '../../connect.ts'

/**
 * A transfer out of a charge's Safe as the canonical chain has it, with the identity that survives a reorganization.
 */
export type ObservedEscrowTransfer = {
  readonly chargeId: string
  /**
   * The action that all transfers of its token out of this Safe in its transaction amount to. It decides nothing: all
   * transactions together decide an end (`findEscrowEnd`). The previous build reads it during a deploy.
   */
  readonly action: EscrowAction
  readonly chainId: number
  readonly tokenAddress: Address
  readonly txHash: Hex
  readonly ordinal: number
  readonly recipient: Address
  readonly amountAtomic: AtomicUnits
  /** The part of the amount below one unit of the token, in 10⁻¹⁸ dollars. */
  readonly dustAtto: AttoDollars
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly blockTimestamp: number
  readonly logIndex: number
}

/** An escrow transfer at depth that its charge has not processed. */
export type DueEscrowTransfer = {
  readonly id: number
  readonly chargeId: string
  readonly action: EscrowAction
  readonly network: Network
  readonly token: Token
  readonly chainId: number
  readonly tokenAddress: Address
  /** Decimals of the token. */
  readonly decimals: number
  readonly recipient: Address
  readonly amountAtomic: AtomicUnits
  /** The part of the amount below one unit of the token, in 10⁻¹⁸ dollars. */
  readonly dustAtto: AttoDollars
  /** Whether it went into the split, where it can only be paid out, regardless of the rest of the transaction. */
  readonly isIntoSplit: boolean
  /** The inclusion that was read. */
  readonly blockHash: Hex
}

/** Maximum escrow transfers read in one turn; a Safe that scatters its balance takes several turns. */
const MOVEMENTS_PER_TURN = 1_000

/** Lists the escrow transfers of a chain that are not orphaned, from a block on. */
export async function listLedgerEscrowTransfers(
  db: Db,
  range: { chainId: number; fromBlock: number },
): Promise<readonly ChainTableRow[]> {
  return db<ChainTableRow[]>`${selectLedgerRows(db, 'escrow_transfers', range)}`
}

/**
 * Records escrow transfers as present where the chain has them now: new ones, and known ones that moved or returned.
 *
 * Values that the charge has processed do not change (decisions 3.8). A transfer with other values or another position
 * loses its mark as found at depth.
 */
export async function recordEscrowTransfers(
  db: Db,
  observed: readonly ObservedEscrowTransfer[],
  ponderSchema: string | null,
): Promise<void> {
  const rows = observed.map((row) => ({
    ...row,
    amountAtomic: String(row.amountAtomic),
    dustAtto: String(row.dustAtto),
  }))
  await db`
    insert into escrow_transfers as m (charge_id, action, chain_id, token_address, tx_hash, ordinal, recipient,
      amount_atomic, dust_atto, block_number, block_hash, block_timestamp, log_index, inclusion, ponder_schema)
    select r."chargeId", r.action, r."chainId", r."tokenAddress", r."txHash", r.ordinal, r.recipient, r."amountAtomic",
      r."dustAtto", r."blockNumber", r."blockHash", r."blockTimestamp", r."logIndex", 'included', ${ponderSchema}
    from jsonb_to_recordset(${db.json(rows)}) as r ("chargeId" text, action text, "chainId" int8, "tokenAddress" text,
      "txHash" text, ordinal int, recipient text, "amountAtomic" numeric, "dustAtto" numeric, "blockNumber" int8, "blockHash" text,
      "blockTimestamp" int8, "logIndex" int)
    order by r."blockNumber", r."logIndex"
    on conflict (chain_id, tx_hash, token_address, charge_id, ordinal) do update set
      inclusion = 'included', missing_since = null, ponder_schema = excluded.ponder_schema,
      block_number = excluded.block_number, block_hash = excluded.block_hash,
      block_timestamp = excluded.block_timestamp, log_index = excluded.log_index,
      (corroborated_block_hash, agreed_at, agreed_by) = (
        select m.corroborated_block_hash, m.agreed_at, m.agreed_by
        where (m.block_number, m.block_hash, m.block_timestamp, m.log_index, m.action, m.recipient, m.amount_atomic, m.dust_atto)
          is not distinct from (excluded.block_number, excluded.block_hash, excluded.block_timestamp, excluded.log_index,
            excluded.action, excluded.recipient, excluded.amount_atomic, excluded.dust_atto)),
      action = case when m.applied_at is null then excluded.action else m.action end,
      recipient = case when m.applied_at is null then excluded.recipient else m.recipient end,
      amount_atomic = case when m.applied_at is null then excluded.amount_atomic else m.amount_atomic end,
      dust_atto = case when m.applied_at is null then excluded.dust_atto else m.dust_atto end`
}

/** Lists escrow transfers of these charges that are at depth and unprocessed, in the order they were mined. */
export async function listDueEscrowTransfers(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly DueEscrowTransfer[]> {
  return db<DueEscrowTransfer[]>`
    select m.id, m.charge_id, m.action, d.network, p.token, m.chain_id, m.token_address, p.decimals, m.recipient,
      m.amount_atomic, m.dust_atto, m.block_hash, m.recipient = c.split_address as is_into_split
    from escrow_transfers m
    join charges c on c.id = m.charge_id
    join deployments d on d.chain_id = m.chain_id
    join pairs p on p.chain_id = m.chain_id and p.token_address = m.token_address
    where m.charge_id = any (${chargeIds}) and ${isDue(db)}
    order by m.block_timestamp, m.log_index, m.id limit ${MOVEMENTS_PER_TURN}`
}

/**
 * Returns a query of one column: the charges of due escrow transfers, except the given ones. It can contain duplicates.
 */
export function listChargesWithEscrowTransfers(
  db: Db,
  { limit, except }: { readonly limit: number; readonly except: readonly string[] },
) {
  return db`
    select m.charge_id from escrow_transfers m join deployments d on d.chain_id = m.chain_id
    join charges c on c.id = m.charge_id and c.quarantined_at is null
    where ${isDue(db)} and m.charge_id <> all (${except}) order by m.id limit ${limit}`
}

/** A processed escrow transfer: the inclusion and the values that its charge counted. */
export type AppliedEscrowTransfer = Pick<
  DueEscrowTransfer,
  'id' | 'blockHash' | 'action' | 'recipient' | 'amountAtomic' | 'dustAtto'
>

/**
 * Marks these escrow transfers as processed, if each still has the inclusion and values that were read.
 *
 * @returns the number marked; fewer than given means that the chain feed was faster, and the turn must be repeated
 */
export async function markEscrowTransfersApplied(
  db: Db,
  movements: readonly AppliedEscrowTransfer[],
  now: Date,
): Promise<number> {
  if (movements.length === 0) return 0
  const rows = movements.map((movement) => ({
    ...movement,
    amountAtomic: String(movement.amountAtomic),
    dustAtto: String(movement.dustAtto),
  }))
  const marked = await db`
    update escrow_transfers m set applied_at = ${now}
    from jsonb_to_recordset(${db.json(rows)}) as t (id int8, "blockHash" text, action text, recipient text,
      "amountAtomic" numeric, "dustAtto" numeric)
    where m.id = t.id and m.block_hash = t."blockHash" and m.action = t.action and m.recipient = t.recipient
      and m.amount_atomic = t."amountAtomic" and m.dust_atto = t."dustAtto"
      and m.applied_at is null and m.inclusion = 'included'
    returning m.id`
  return marked.length
}

function isDue(db: Db) {
  return db`
    m.applied_at is null and m.inclusion = 'included' and ${atDepth(db, 'm')}`
}
