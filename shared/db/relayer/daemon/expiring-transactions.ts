import type { Hex } from '../../../domain/address.ts'
import { isAllowedTransition, RELAYER_TRANSACTION_TRANSITIONS } from '../../../domain/allowed-transitions.ts'
import { invariant } from '../../../domain/errors.ts'
import type { Db } from '../../connect.ts'
import type { RelayerKey, RelayerTransactionRow, RelayerTransactionStatus } from './relayer-transactions.ts'

/**
 * Status of a transaction on a chain without nonces: `signed` until a solidified block is known to contain it; then
 * `final` or `reverted`; `expired` if no block can contain it any longer.
 */
export type ExpiringStatus = 'signed' | 'final' | 'reverted' | 'expired'

/** Status of a relayer transaction on any chain. */
export type TransactionStatus = RelayerTransactionStatus | ExpiringStatus

/** A signed transaction on a chain without nonces. The raw bytes contain its call and fee limit. */
export interface ExpiringTransactionRow
  extends Omit<RelayerTransactionRow, 'nonce' | 'status' | 'blockNumber' | 'isCancellation' | 'validUntil'> {
  /** Time after which no block can include the transaction. */
  readonly validUntil: Date
}

/**
 * Locks an account on its chain until the caller's transaction ends, so that concurrent signers count the unresolved
 * transactions one after another. Inserts the account if it is missing.
 */
export async function lockAccount(db: Db, { chainId, relayer }: RelayerKey): Promise<void> {
  await db`
    insert into relayers as r (chain_id, address, next_nonce) values (${chainId}, ${relayer}, 0)
    on conflict (chain_id, address) do update set next_nonce = r.next_nonce`
}

/**
 * Inserts a signed transaction that has not been broadcast yet.
 *
 * @throws {PostgresError} unique violation if the payout or held share has another unresolved transaction
 */
export async function insertExpiringTransaction(
  db: Db,
  transaction: Omit<ExpiringTransactionRow, 'lastBroadcastAt' | 'rejectedSince'>,
): Promise<ExpiringTransactionRow> {
  const { txHash, chainId, relayer, payoutId, heldShareId, rawTransaction, validUntil, createdAt } =
    transaction
  const [row] = await db<ExpiringTransactionRow[]>`
    insert into relayer_transactions (
      tx_hash, chain_id, relayer, payout_id, held_share_id, raw_transaction, valid_until, created_at)
    values (${txHash}, ${chainId}, ${relayer}, ${payoutId}, ${heldShareId}, ${rawTransaction}, ${validUntil},
      ${createdAt})
    returning ${columns(db)}`
  invariant(row !== undefined, `the insertion of transaction ${txHash} returned no row`)
  return row
}

/** Counts the unresolved transactions of an account. */
export async function countUnresolved(db: Db, key: RelayerKey): Promise<number> {
  const rows = await db<{ count: number }[]>`
    select count(*) from relayer_transactions
    where chain_id = ${key.chainId} and relayer = ${key.relayer} and nonce is null and status = 'signed'`
  return rows[0]?.count ?? 0
}

/** An unresolved transaction: no solidified block is known to contain it. */
export interface UnresolvedTransactionRow extends ExpiringTransactionRow {
  /**
   * Whether a split event of the transaction is applied. Such a transaction is at confirmation depth, regardless of the
   * nodes' responses.
   */
  readonly isIndexed: boolean
}

/** Lists the unresolved transactions of an account, oldest first. */
export async function listUnresolved(
  db: Db,
  query: RelayerKey & { readonly limit: number },
): Promise<readonly UnresolvedTransactionRow[]> {
  return db<UnresolvedTransactionRow[]>`
    select ${columns(db)},
      exists (
        select from split_events e
        where e.chain_id = r.chain_id and e.tx_hash = r.tx_hash and e.applied_at is not null
          and e.inclusion = 'included') as is_indexed
    from relayer_transactions r
    where chain_id = ${query.chainId} and relayer = ${query.relayer} and nonce is null and status = 'signed'
    order by created_at
    limit ${query.limit}`
}

/**
 * Resolves a transaction. Returns false if it is already resolved.
 *
 * @param end.blockNumber - solidified block that contains the transaction; `null` if none does
 */
export async function resolveTransaction(
  db: Db,
  end: {
    readonly txHash: Hex
    readonly to: Exclude<ExpiringStatus, 'signed'>
    readonly blockNumber: number | null
    /** Time at which the result was read. */
    readonly examinedAt: Date
  },
): Promise<boolean> {
  const { txHash, to, blockNumber, examinedAt } = end
  const move = { from: 'signed', to }
  invariant(
    isAllowedTransition(RELAYER_TRANSACTION_TRANSITIONS, move),
    `a transaction cannot change from signed to ${to}`,
  )
  const rows = await db`
    update relayer_transactions set status = ${to}, block_number = ${blockNumber}, examined_at = ${examinedAt}
    where tx_hash = ${txHash} and nonce is null and status = 'signed'
    returning 1`
  return rows.length > 0
}

function columns(db: Db) {
  return db`
    tx_hash, chain_id, relayer, payout_id, held_share_id, raw_transaction, valid_until, created_at, last_broadcast_at,
    rejected_since`
}
