import type { Address, Hex } from '../../../domain/address.ts'
import { invariant } from '../../../domain/errors.ts'
import { isMove, RELAYER_TRANSACTION_MOVES } from '../../../domain/mirrored-states.ts'
import type { Db } from '../../connect.ts'

/**
 * How far a transaction of ours is: `signed` and not known to be mined; `mined`, not yet deep enough; at depth
 * `final` or `reverted`; `replaced` by another of the same nonce. (Where there are no nonces: see `ExpiringStatus`.)
 */
export type RelayerTransactionStatus = 'signed' | 'mined' | 'reverted' | 'final' | 'replaced'

/** One account that pays gas on one chain. */
export type RelayerKey = { readonly chainId: number; readonly relayer: Address }

/** A signed transaction; its fees and its call stand in the raw bytes. */
export interface RelayerTransactionRow extends RelayerKey {
  readonly txHash: Hex
  readonly nonce: number
  /** `null` if it serves no payout. */
  readonly payoutId: number | null
  /** `null` if it releases no held share. */
  readonly heldShareId: number | null
  readonly rawTransaction: Hex
  readonly status: RelayerTransactionStatus
  readonly createdAt: Date
  readonly lastBroadcastAt: Date | null
  readonly blockNumber: number | null
  /** A transfer of nothing to ourselves, in the place of another: at depth it is `reverted`, for it has moved nothing. */
  readonly isEmpty: boolean
  /** After it, it must not be mined any more; `null`: it may be at any time. */
  readonly validUntil: Date | null
  /** Since when every node that answers has refused it; `null` if one has taken it since. */
  readonly refusedSince: Date | null
}

/**
 * Locks the relayer, makes it known if it was not, and answers its next unused nonce.
 *
 * The lock lasts until the caller's transaction ends; nonces are unique between daemons because of it.
 *
 * @param key.chainNonce - how many transactions of the account are mined. Never those that are pending: if a
 * stranger's pending one were dropped, a nonce would be missing for ever and everything after it would wait
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

/** Takes the nonce; the caller holds the relayer's lock and inserts the transaction that uses it. */
export async function takeNonce(db: Db, key: RelayerKey & { readonly nonce: number }): Promise<void> {
  await db`
    update relayers set next_nonce = ${key.nonce + 1}
    where chain_id = ${key.chainId} and address = ${key.relayer}`
}

type NewTransaction = Omit<RelayerTransactionRow, 'status' | 'lastBroadcastAt' | 'blockNumber'> & {
  readonly maxFeePerGasWei: bigint
}

/**
 * Stores a signed transaction that nobody has seen yet.
 *
 * The very same bytes may have been replaced before: a stuck one that was mined after all and reorganized away is
 * replaced as it was the first time. Then they count again, as if they were new.
 */
export async function insertRelayerTransaction(
  db: Db,
  transaction: NewTransaction,
): Promise<RelayerTransactionRow> {
  const [row] = await db<RelayerTransactionRow[]>`
    insert into relayer_transactions as r (
      tx_hash, chain_id, relayer, nonce, payout_id, held_share_id, raw_transaction, max_fee_per_gas, is_empty,
      valid_until, refused_since, created_at)
    values (${transaction.txHash}, ${transaction.chainId}, ${transaction.relayer}, ${transaction.nonce},
      ${transaction.payoutId}, ${transaction.heldShareId}, ${transaction.rawTransaction}, ${db.types.numeric(transaction.maxFeePerGasWei)},
      ${transaction.isEmpty}, ${transaction.validUntil}, ${transaction.refusedSince}, ${transaction.createdAt})
    on conflict (tx_hash) do update
      set status = 'signed', created_at = excluded.created_at, last_broadcast_at = null, block_number = null,
        refused_since = excluded.refused_since
      where r.status = 'replaced'
    returning ${columns(db)}`
  invariant(row !== undefined, `${transaction.txHash} is stored already, and was not replaced`)
  return row
}

/** Answers how many transactions are not known to be mined. */
export async function countUnmined(db: Db, key: RelayerKey): Promise<number> {
  const rows = await db<{ count: number }[]>`
    select count(*) from relayer_transactions
    where chain_id = ${key.chainId} and relayer = ${key.relayer} and status = 'signed'`
  return rows[0]?.count ?? 0
}

/** Tells whether a transaction of this payout is not resolved yet; no other may be signed meanwhile. */
export async function hasOpenTransaction(db: Db, payoutId: number): Promise<boolean> {
  const rows = await db`
    select from relayer_transactions where payout_id = ${payoutId} and status in ('signed', 'mined') limit 1`
  return rows.length > 0
}

/** Lists the unresolved transactions, those not known to be mined first, each by nonce. */
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
 * Answers the lowest nonce of those resolved transactions whose payout still waits for the event to be indexed, or whose
 * authorization is in flight again, or `null`: nothing is wrong yet, but if the chain no longer has one of them, nothing else
 * would tell.
 */
export async function findUnindexedNonce(db: Db, key: RelayerKey): Promise<number | null> {
  const rows = await db<{ nonce: number | null }[]>`
    select least(${findUnpaidNonce(db, key)}, ${findUncarriedNonce(db, key)}) as nonce`
  return rows[0]?.nonce ?? null
}

/**
 * Payout by payout. In a plain join the planner guesses from those of all chains how many this one has in process, and beside a
 * chain that stands still it then read every transaction there was.
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

/** Of an authorization that was carried out at depth, and of which the chain shows nothing any more. */
function findUncarriedNonce(db: Db, key: RelayerKey) {
  return db`(
    select min(a.relayer_nonce) from authorizations a
    join relayer_transactions r
      on r.chain_id = a.chain_id and r.relayer = a.relayer and r.nonce = a.relayer_nonce and r.status = 'final'
    where a.chain_id = ${key.chainId} and a.relayer = ${key.relayer} and a.status = 'signed' and not r.is_empty)`
}

/** Lists the transactions that another of the same nonce replaced, the latest first: any of them may be mined. */
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

/**
 * Moves a transaction on, if it still stands where the caller saw it.
 *
 * @returns whether it was moved by this call
 */
export async function moveRelayerTransaction(
  db: Db,
  move: {
    readonly txHash: Hex
    readonly from: RelayerTransactionStatus
    readonly to: RelayerTransactionStatus
    readonly blockNumber: number | null
    /** When its result was read. */
    readonly examinedAt?: Date | null
  },
): Promise<boolean> {
  invariant(isMove(RELAYER_TRANSACTION_MOVES, move), `no transaction goes from ${move.from} to ${move.to}`)
  const rows = await db`
    update relayer_transactions set status = ${move.to}, block_number = ${move.blockNumber},
      examined_at = ${move.examinedAt ?? null}
    where tx_hash = ${move.txHash} and status = ${move.from}
    returning 1`
  return rows.length > 0
}

/** What the nodes said of bytes that were offered: one took them, all that answered refused them, or none answered. */
export type BroadcastOutcome = 'taken' | 'refused' | 'unknown'

/** Remembers that the bytes were offered to the network, and since when nobody takes them. */
export async function recordBroadcast(
  db: Db,
  broadcast: { readonly txHash: Hex; readonly at: Date; readonly outcome: BroadcastOutcome },
): Promise<void> {
  const { txHash, at, outcome } = broadcast
  await db`
    update relayer_transactions set last_broadcast_at = ${at},
      refused_since = case ${outcome}::text when 'taken' then null when 'refused' then coalesce(refused_since, ${at})
        else refused_since end
    where tx_hash = ${txHash}`
}

/** Answers the highest block that any of the relayer's transactions was seen in; 0 if none was. */
export async function findHighestBlock(db: Db, { chainId, relayer }: RelayerKey): Promise<number> {
  const [row] = await db<[{ highest: number }]>`
    select coalesce(max(block_number), 0) as highest from relayer_transactions
    where chain_id = ${chainId} and relayer = ${relayer}`
  return row.highest
}

/**
 * Takes back that transactions from a nonce on were resolved: a reorganization deeper than the confirmation depth
 * has removed them, and until they are mined again nothing after them can be.
 *
 * @returns how many
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
    block_number, is_empty, valid_until, refused_since`
}
