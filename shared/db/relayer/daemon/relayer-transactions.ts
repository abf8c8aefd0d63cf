import type { Address, Hex } from '../../../domain/address.ts'
import { isAllowedTransition, RELAYER_TRANSACTION_TRANSITIONS } from '../../../domain/allowed-transitions.ts'
import { invariant } from '../../../domain/errors.ts'
import type { Db } from '../../connect.ts'

/**
 * Status of a relayer transaction: `signed` until a quorum shows that it is mined; `mined` until it is at confirmation
 * depth; then `final` or `reverted`; `replaced` if another transaction with the same nonce has replaced it.
 * `ExpiringStatus` covers chains without nonces.
 */
export type RelayerTransactionStatus = 'signed' | 'mined' | 'reverted' | 'final' | 'replaced'

/** An account that pays gas on one chain. */
export type RelayerKey = { readonly chainId: number; readonly relayer: Address }

/** The raw bytes contain the fees and the call. */
export interface RelayerTransactionRow extends RelayerKey {
  readonly txHash: Hex
  readonly nonce: number
  /** The payout that the transaction distributes; `null` if it distributes none. */
  readonly payoutId: number | null
  /** The held share that the transaction releases; `null` if it releases none. */
  readonly heldShareId: number | null
  readonly rawTransaction: Hex
  readonly status: RelayerTransactionStatus
  readonly createdAt: Date
  readonly lastBroadcastAt: Date | null
  readonly blockNumber: number | null
  /**
   * Whether this is an empty transfer to the account itself that cancels another transaction. At confirmation depth, a
   * cancellation always becomes `reverted`, because it pays nothing.
   */
  readonly isCancellation: boolean
  /** Latest time at which the transaction may be mined; `null` for no limit. */
  readonly validUntil: Date | null
  /**
   * Time since which every responding node has rejected the transaction; `null` if no node has rejected it, or a node
   * accepted it later.
   */
  readonly rejectedSince: Date | null
}

/**
 * Locks the relayer, and returns its next unused nonce. Inserts the relayer if it is missing.
 *
 * The lock lasts until the caller's transaction ends, and keeps nonces unique between daemons.
 *
 * @param key.chainNonce - number of the account's mined transactions. It must not include pending transactions: if a
 * pending transaction from elsewhere were dropped, its nonce would stay unused and block all later transactions
 */
export async function lockRelayer(
  db: Db,
  key: RelayerKey & { readonly chainNonce: number },
): Promise<number> {
  const rows = await db<{ nextNonce: number }[]>`
    insert into relayers as r (chain_id, address, next_nonce) values (${key.chainId}, ${key.relayer}, ${key.chainNonce})
    on conflict (chain_id, address) do update set next_nonce = greatest(r.next_nonce, ${key.chainNonce})
    returning next_nonce`
  return rows[0]?.nextNonce ?? key.chainNonce
}

/** Consumes the nonce. The caller must hold the relayer's lock, and must insert the transaction that uses the nonce. */
export async function reserveNonce(db: Db, key: RelayerKey & { readonly nonce: number }): Promise<void> {
  await db`
    update relayers set next_nonce = ${key.nonce + 1}
    where chain_id = ${key.chainId} and address = ${key.relayer}`
}

type NewTransaction = Omit<RelayerTransactionRow, 'status' | 'lastBroadcastAt' | 'blockNumber'> & {
  readonly maxFeePerGasWei: bigint
}

/**
 * Inserts a signed transaction that has not been broadcast yet.
 *
 * A `replaced` row might already have the same bytes. This happens if a stuck transaction is mined after all, a
 * reorganization then removes it, and its replacement is signed again. Such a row becomes `signed` again, like a new
 * row.
 */
export async function insertRelayerTransaction(
  db: Db,
  transaction: NewTransaction,
): Promise<RelayerTransactionRow> {
  const [row] = await db<RelayerTransactionRow[]>`
    insert into relayer_transactions as r (
      tx_hash, chain_id, relayer, nonce, payout_id, held_share_id, raw_transaction, max_fee_per_gas, is_cancellation,
      valid_until, rejected_since, created_at)
    values (${transaction.txHash}, ${transaction.chainId}, ${transaction.relayer}, ${transaction.nonce},
      ${transaction.payoutId}, ${transaction.heldShareId}, ${transaction.rawTransaction}, ${db.types.numeric(transaction.maxFeePerGasWei)},
      ${transaction.isCancellation}, ${transaction.validUntil}, ${transaction.rejectedSince}, ${transaction.createdAt})
    on conflict (tx_hash) do update
      set status = 'signed', created_at = excluded.created_at, last_broadcast_at = null, block_number = null,
        rejected_since = excluded.rejected_since
      where r.status = 'replaced'
    returning ${columns(db)}`
  invariant(row !== undefined, `transaction ${transaction.txHash} is already stored and was not replaced`)
  return row
}

/** Counts the `signed` transactions of an account. */
export async function countUnmined(db: Db, key: RelayerKey): Promise<number> {
  const rows = await db<{ count: number }[]>`
    select count(*) from relayer_transactions
    where chain_id = ${key.chainId} and relayer = ${key.relayer} and status = 'signed'`
  return rows[0]?.count ?? 0
}

/** Returns whether this payout has an unresolved transaction. If so, no other transaction for it may be signed. */
export async function hasOpenTransaction(db: Db, payoutId: number): Promise<boolean> {
  const rows = await db`
    select from relayer_transactions where payout_id = ${payoutId} and status in ('signed', 'mined') limit 1`
  return rows.length > 0
}

/** Lists the unresolved transactions of an account: first `signed`, then `mined` transactions, each group by nonce. */
export async function listOpenTransactions(
  db: Db,
  query: RelayerKey & { readonly limit: number },
): Promise<RelayerTransactionRow[]> {
  return db<RelayerTransactionRow[]>`
    select ${columns(db)} from relayer_transactions
    where chain_id = ${query.chainId} and relayer = ${query.relayer} and nonce is not null
      and status in ('signed', 'mined')
    order by status = 'mined', nonce
    limit ${query.limit}`
}

/**
 * Returns the lowest nonce of the final transactions whose event was not applied to their payout yet, or whose
 * authorization is in flight again; `null` if there is none. A comparison with the chain's nonce shows whether a
 * reorganization has dropped such a transaction.
 */
export async function findUnindexedNonce(db: Db, key: RelayerKey): Promise<number | null> {
  const rows = await db<{ nonce: number | null }[]>`
    select least(${findUnpaidNonce(db, key)}, ${findUncarriedNonce(db, key)}) as nonce`
  return rows[0]?.nonce ?? null
}

/**
 * Reads payout by payout. With a plain join, the planner estimated this chain's processing payouts from the total of
 * all chains, so when another chain was stalled, the query read every transaction ever made.
 */
function findUnpaidNonce(db: Db, key: RelayerKey) {
  return db`(
    select min(u.nonce) from payouts p
    cross join lateral (
      select min(r.nonce) as nonce from relayer_transactions r
      where r.payout_id = p.id and r.chain_id = p.chain_id and r.relayer = ${key.relayer} and r.status = 'final'
        and r.created_at >= p.processing_started_at
        and not exists (
          select from split_events e
          where e.chain_id = r.chain_id and e.tx_hash = r.tx_hash and e.applied_at is not null)) u
    where p.chain_id = ${key.chainId} and p.status = 'processing')`
}

function findUncarriedNonce(db: Db, key: RelayerKey) {
  return db`(
    select min(a.relayer_nonce) from authorizations a
    join relayer_transactions r
      on r.chain_id = a.chain_id and r.relayer = a.relayer and r.nonce = a.relayer_nonce and r.status = 'final'
    where a.chain_id = ${key.chainId} and a.relayer = ${key.relayer} and a.status = 'signed' and not r.is_cancellation)`
}

/** Lists the replaced transactions of a nonce, latest first. Any of them can still be mined. */
export async function listReplaced(
  db: Db,
  query: RelayerKey & { readonly nonce: number },
): Promise<RelayerTransactionRow[]> {
  return db<RelayerTransactionRow[]>`
    select ${columns(db)} from relayer_transactions
    where chain_id = ${query.chainId} and relayer = ${query.relayer} and nonce = ${query.nonce}
      and status = 'replaced'
    order by created_at desc`
}

/** Updates a transaction's status. Returns false if the status is no longer `from`. */
export async function transitionRelayerTransaction(
  db: Db,
  move: {
    readonly txHash: Hex
    readonly from: RelayerTransactionStatus
    readonly to: RelayerTransactionStatus
    readonly blockNumber: number | null
    /** Time at which the transaction's result was read. */
    readonly examinedAt?: Date | null
  },
): Promise<boolean> {
  invariant(
    isAllowedTransition(RELAYER_TRANSACTION_TRANSITIONS, move),
    `a transaction cannot change from ${move.from} to ${move.to}`,
  )
  const rows = await db`
    update relayer_transactions set status = ${move.to}, block_number = ${move.blockNumber},
      examined_at = ${move.examinedAt ?? null}
    where tx_hash = ${move.txHash} and status = ${move.from}
    returning 1`
  return rows.length > 0
}

/** Outcome of a broadcast: accepted by at least one node, rejected by every node that responded, or no response. */
export type BroadcastOutcome = 'taken' | 'refused' | 'unknown'

export async function recordBroadcast(
  db: Db,
  broadcast: { readonly txHash: Hex; readonly at: Date; readonly outcome: BroadcastOutcome },
): Promise<void> {
  const { txHash, at, outcome } = broadcast
  await db`
    update relayer_transactions set last_broadcast_at = ${at},
      rejected_since = case ${outcome}::text when 'taken' then null when 'refused' then coalesce(rejected_since, ${at})
        else rejected_since end
    where tx_hash = ${txHash}`
}

/** Returns the highest block that contains a transaction of the relayer; 0 if there is none. */
export async function findHighestBlock(db: Db, { chainId, relayer }: RelayerKey): Promise<number> {
  const [row] = await db<[{ highest: number }]>`
    select coalesce(max(block_number), 0) as highest from relayer_transactions
    where chain_id = ${chainId} and relayer = ${relayer}`
  return row.highest
}

/**
 * Reopens the resolved transactions with this or a higher nonce, after a reorganization deeper than the confirmation
 * depth removed them. Until they are mined again, no later nonce can be mined.
 *
 * @returns the number of reopened transactions
 */
export async function reopenTransactions(
  db: Db,
  query: RelayerKey & { readonly fromNonce: number },
): Promise<number> {
  const rows = await db`
    update relayer_transactions set status = 'signed', block_number = null
    where chain_id = ${query.chainId} and relayer = ${query.relayer} and nonce >= ${query.fromNonce}
      and status in ('final', 'reverted')
    returning 1`
  return rows.length
}

function columns(db: Db) {
  return db`
    tx_hash, chain_id, relayer, nonce, payout_id, held_share_id, raw_transaction, status, created_at, last_broadcast_at,
    block_number, is_cancellation, valid_until, rejected_since`
}
