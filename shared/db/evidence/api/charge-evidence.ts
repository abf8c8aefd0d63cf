import type { Address, Hex } from '../../../domain/address.ts'
import type { EvidenceKind } from '../../../domain/evidence/evidence-kind.ts'
import type { ProofFailure } from '../../../domain/evidence/proof-failure.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Pair } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A transaction with at least one counted log of a charge, and the proof of its receipt. */
export type EvidenceTransaction = Pick<Pair, 'network'> & {
  readonly chainId: number
  readonly txHash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Unix seconds. */
  readonly blockTimestamp: number
  /** Like the next two fields, `null` if there is no proof. */
  readonly transactionIndex: number | null
  readonly firstLogIndex: number | null
  readonly proof: Uint8Array | null
  /** Why the last attempt to prove the receipt failed. */
  readonly reason: ProofFailure | null
  readonly isFinished: boolean
  /** Number of counted logs beyond `MAX_LOGS_LISTED`. */
  readonly logsOmitted: number
}

/** Position of the last transaction of a page. */
export type EvidencePosition = Pick<
  EvidenceTransaction,
  'blockTimestamp' | 'chainId' | 'blockNumber' | 'txHash' | 'blockHash'
>

export type EvidenceListing = {
  readonly chargeId: string
  readonly after: EvidencePosition | null
  readonly limit: number
  /** Maximum size of a page. The first transaction is always listed, regardless of its size. */
  readonly maxBytes: number
}

/** Approximate size of a transaction's JSON without the nodes of its proof, and of one log. */
const TRANSACTION_BYTES = 2_500
const LOG_BYTES = 600

/**
 * Maximum logs listed per transaction, lowest index first. A stranger can send any number of tiny payments in one
 * transaction.
 */
export const MAX_LOGS_LISTED = 500

/** Lists transactions with counted logs of a charge, oldest first. */
export async function listEvidenceTransactions(
  db: Db,
  { chargeId, after, limit, maxBytes }: EvidenceListing,
): Promise<{ readonly transactions: readonly EvidenceTransaction[]; readonly hasMore: boolean }> {
  const rows = await db<(EvidenceTransaction & { found: number })[]>`
    with found as (
      select chain_id, tx_hash, block_hash, block_number, block_timestamp, count(*) as logs
      from (${countedLogs(db, chargeId)}) counted
      where ${isAfter(db, after)}
      group by 1, 2, 3, 4, 5
      order by block_timestamp, chain_id, block_number, tx_hash, block_hash
      limit ${limit + 1}
    ), page as (
      select f.*, p.transaction_index, p.first_log_index, p.proof, p.reason,
        p.finished_at is not null as is_finished, row_number() over listed as place, count(*) over () as found,
        sum(${TRANSACTION_BYTES} + 2 * coalesce(octet_length(p.proof), 0)
          + ${LOG_BYTES} * least(f.logs, ${MAX_LOGS_LISTED})) over listed as bytes
      from found f
      left join receipt_proofs p on p.chain_id = f.chain_id and p.tx_hash = f.tx_hash and p.block_hash = f.block_hash
      window listed as (order by f.block_timestamp, f.chain_id, f.block_number, f.tx_hash, f.block_hash)
    )
    select d.network, p.chain_id, p.tx_hash, p.block_hash, p.block_number, p.block_timestamp, p.transaction_index,
      p.first_log_index, p.reason, p.is_finished, greatest(p.logs - ${MAX_LOGS_LISTED}, 0) as logs_omitted, p.found,
      p.proof
    from page p
    join deployments d on d.chain_id = p.chain_id
    where p.place <= ${limit} and (p.place = 1 or p.bytes <= ${maxBytes}::int8)
    order by p.place`
  return { transactions: rows, hasMore: (rows[0]?.found ?? 0) > rows.length }
}

/**
 * Returns the condition that a transaction comes after a position. Two blocks of a chain can have the same time, so
 * their numbers are compared next. If a reorganization moved a transaction, some of its logs might have been counted in
 * the old block and others in the new one. The transaction is then listed once per block, so the position contains the
 * block hash too.
 */
function isAfter(db: Db, after: EvidencePosition | null) {
  if (after === null) return db`true`
  const { blockTimestamp, chainId, blockNumber, txHash, blockHash } = after
  return db`
    (block_timestamp, chain_id, block_number, tx_hash, block_hash)
      > (${blockTimestamp}::int8, ${chainId}::int8, ${blockNumber}::int8, ${txHash}::text, ${blockHash}::text)`
}

export type EvidenceLog = Pick<Pair, 'token'> & {
  readonly chainId: number
  readonly txHash: Hex
  readonly blockHash: Hex
  readonly kind: EvidenceKind
  readonly tokenAddress: Address
  /** Index in the block. */
  readonly logIndex: number
  /** Sender, distributor or recipient, depending on `kind`. */
  readonly party: Address
  /** In atomic units of the token; for a credit, in units of the contract that logged it. */
  readonly amountAtomic: AtomicUnits
  /** The part of the amount below one unit of the token, in 10^-18 dollars. `amountAtomic` does not include it. */
  readonly dustAtto: AttoDollars
  readonly countedAt: Date
  readonly agreedAt: Date | null
  readonly agreedBy: readonly string[] | null
}

/** Lists the first `MAX_LOGS_LISTED` counted logs of a charge in each of these transactions, by index. */
export async function listEvidenceLogs(
  db: Db,
  {
    chargeId,
    transactions,
  }: { readonly chargeId: string; readonly transactions: readonly EvidenceTransaction[] },
): Promise<readonly EvidenceLog[]> {
  if (transactions.length === 0) return []
  return db<EvidenceLog[]>`
    select l.* from (
      select c.*, row_number() over (partition by c.chain_id, c.tx_hash, c.block_hash order by c.log_index) as place
      from (${countedLogs(db, chargeId)}) c
      join unnest(${transactions.map(({ chainId }) => chainId)}::int8[],
          ${transactions.map(({ txHash }) => txHash)}::text[],
          ${transactions.map(({ blockHash }) => blockHash)}::text[]) as w (chain_id, tx_hash, block_hash)
        on w.chain_id = c.chain_id and w.tx_hash = c.tx_hash and w.block_hash = c.block_hash) l
    where l.place <= ${MAX_LOGS_LISTED}
    order by l.chain_id, l.tx_hash, l.log_index`
}

/** Selects the counted logs of a charge. Excludes sandbox credits, which are on no chain. */
function countedLogs(db: Db, chargeId: string) {
  return db`
    select 'credit' as kind, t.chain_id, t.tx_hash, t.block_hash, t.block_number, t.block_timestamp, t.log_index, t.token,
      t.token_address, t.sender as party, t.value_atomic as amount_atomic, 0::numeric as dust_atto,
      t.credited_at as counted_at, t.agreed_at, t.agreed_by
    from transfers t where t.charge_id = ${chargeId} and t.credited_at is not null and t.chain_id is not null
    union all
    select case e.kind when 'distributed' then 'distribution' else e.kind end, e.chain_id, e.tx_hash, e.block_hash,
      e.block_number, e.block_timestamp, e.log_index, p.token, e.token_address, e.account, e.amount_atomic, 0::numeric,
      e.applied_at, e.agreed_at, e.agreed_by
    from split_events e
    join pairs p on p.chain_id = e.chain_id and p.token_address = e.token_address
    where e.charge_id = ${chargeId} and e.applied_at is not null
    union all
    select 'escrow_' || m.action, m.chain_id, m.tx_hash, m.block_hash, m.block_number, m.block_timestamp, m.log_index,
      p.token, m.token_address, m.recipient, m.amount_atomic, m.dust_atto, m.applied_at, m.agreed_at, m.agreed_by
    from escrow_transfers m
    join pairs p on p.chain_id = m.chain_id and p.token_address = m.token_address
    where m.charge_id = ${chargeId} and m.applied_at is not null`
}
