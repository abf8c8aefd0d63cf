import type { Hex } from '../../../domain/address.ts'
import { invariant } from '../../../domain/errors.ts'
import { isMove, RELAYER_TRANSACTION_MOVES } from '../../../domain/mirrored-states.ts'
import type { Db } from '../../connect.ts'
import type { RelayerKey, RelayerTransactionStatus } from './relayer-transactions.ts'

/**
 * How far a transaction without a nonce is: `signed` and in no solid block; in one `final` or `reverted`; or `expired`
 * without ever having been in one.
 */
export type ExpiringStatus = 'signed' | 'final' | 'reverted' | 'expired'

/** Of a transaction of the relayer's on any chain. */
export type TransactionStatus = RelayerTransactionStatus | ExpiringStatus

/** A signed transaction of a chain without nonces; its call and its fee limit stand in the raw bytes. */
export interface ExpiringTransactionRow extends RelayerKey {
  readonly txHash: Hex
  readonly payoutId: number | null
  readonly heldShareId: number | null
  /** As it is sent, the signature with it. */
  readonly rawTransaction: Hex
  /** In no block after one of this time; by the chain's clock. */
  readonly validUntil: Date
  readonly createdAt: Date
  readonly lastBroadcastAt: Date | null
  /** Since when every node that answers has refused it; `null` if one has taken it since. */
  readonly refusedSince: Date | null
}

/**
 * Locks the account on its chain, and makes it known if it was not: those who sign for it count one after another.
 *
 * The lock lasts until the caller's transaction ends.
 */
export async function lockAccount(db: Db, { chainId, relayer }: RelayerKey): Promise<void> {
  await db`
    insert into relayers as r (chain_id, address, next_nonce) values (${chainId}, ${relayer}, 0)
    on conflict (chain_id, address) do update set next_nonce = r.next_nonce`
}

/**
 * Stores a signed transaction that nobody has seen yet.
 *
 * @throws {PostgresError} a unique violation, if another one of the same payout or held share is unresolved
 */
export async function insertExpiringTransaction(
  db: Db,
  transaction: Omit<ExpiringTransactionRow, 'lastBroadcastAt' | 'refusedSince'>,
): Promise<ExpiringTransactionRow> {
  const { txHash, chainId, relayer, payoutId, heldShareId, rawTransaction, validUntil, createdAt } =
    transaction
  const [row] = await db<ExpiringTransactionRow[]>`
    insert into relayer_transactions (
      tx_hash, chain_id, relayer, payout_id, held_share_id, raw_transaction, valid_until, created_at)
    values (${txHash}, ${chainId}, ${relayer}, ${payoutId}, ${heldShareId}, ${rawTransaction}, ${validUntil},
      ${createdAt})
    returning ${columns(db)}`
  invariant(row !== undefined, `${txHash} was stored`)
  return row
}

/** Answers how many transactions are in no solid block yet. */
export async function countUnresolved(db: Db, key: RelayerKey): Promise<number> {
  const rows = await db<{ count: number }[]>`
    select count(*) from relayer_transactions
    where chain_id = ${key.chainId} and relayer = ${key.relayer} and nonce is null and status = 'signed'`
  return rows[0]?.count ?? 0
}

/** One that is in no solid block for all we know. */
export interface UnresolvedTransactionRow extends ExpiringTransactionRow {
  /** Whether the feed has counted what a split logged in it: it is at depth, whatever nodes say of it. */
  readonly isIndexed: boolean
}

/** Lists the unresolved transactions, the oldest first. */
export async function listUnresolved(
  db: Db,
  query: RelayerKey & { readonly limit: number },
): Promise<readonly UnresolvedTransactionRow[]> {
  return db<UnresolvedTransactionRow[]>`
    select ${columns(db)},
      exists (
        select from split_events e
        where e.chain_id = r.chain_id and e.tx_hash = r.tx_hash and e.applied_at is not null
          and e.presence = 'present') as is_indexed
    from relayer_transactions r
    where chain_id = ${query.chainId} and relayer = ${query.relayer} and nonce is null and status = 'signed'
    order by created_at
    limit ${query.limit}`
}

/**
 * Resolves a transaction, if nobody else has.
 *
 * @param end.blockNumber - of the solid block that has it; `null` if none does
 * @returns whether it was resolved by this call
 */
export async function resolveTransaction(
  db: Db,
  end: {
    readonly txHash: Hex
    readonly to: Exclude<ExpiringStatus, 'signed'>
    readonly blockNumber: number | null
    /** When its end was read. */
    readonly examinedAt: Date
  },
): Promise<boolean> {
  const { txHash, to, blockNumber, examinedAt } = end
  const move = { from: 'signed', to }
  invariant(isMove(RELAYER_TRANSACTION_MOVES, move), `no transaction goes from signed to ${to}`)
  const rows = await db`
    update relayer_transactions set status = ${to}, block_number = ${blockNumber}, examined_at = ${examinedAt}
    where tx_hash = ${txHash} and nonce is null and status = 'signed'
    returning 1`
  return rows.length > 0
}

function columns(db: Db) {
  return db`
    tx_hash, chain_id, relayer, payout_id, held_share_id, raw_transaction, valid_until, created_at, last_broadcast_at,
    refused_since`
}
