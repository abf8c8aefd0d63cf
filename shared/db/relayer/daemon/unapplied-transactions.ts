import type { Address, Hex } from '../../../domain/address.ts'
import { isAllowedTransition, RELAYER_TRANSACTION_TRANSITIONS } from '../../../domain/allowed-transitions.ts'
import { invariant } from '../../../domain/errors.ts'
import type { Db } from '../../connect.ts'

/** A transaction that is recorded as `final`, but whose event was not applied. */
export interface UnappliedTransaction {
  readonly txHash: Hex
  readonly payoutId: number
  readonly blockNumber: number | null
}

/**
 * Lists the `final` transactions, of any chain family, that block a payout because their event was not applied; oldest
 * first. Includes only payouts that were due by `before`, and transactions whose result was last read by then. For a
 * transaction that was never read, the time of creation decides.
 *
 * Reads payout by payout, as `findUnpaidNonce` does, because a join would read every transaction ever made.
 */
export async function listUnapplied(
  db: Db,
  query: {
    readonly chainId: number
    readonly relayer: Address
    readonly before: Date
    readonly limit: number
  },
): Promise<readonly UnappliedTransaction[]> {
  return db<UnappliedTransaction[]>`
    select u.tx_hash, u.payout_id, u.block_number from payouts p
    cross join lateral (
      select r.tx_hash, r.payout_id, r.block_number, r.created_at from relayer_transactions r
      where r.payout_id = p.id and r.chain_id = p.chain_id and r.relayer = ${query.relayer} and r.status = 'final'
        and coalesce(r.examined_at, r.created_at) <= ${query.before}
        and not exists (
          select from split_events e
          where e.chain_id = r.chain_id and e.tx_hash = r.tx_hash and e.applied_at is not null)
      offset 0) u
    where p.chain_id = ${query.chainId} and p.status in ('pending', 'processing')
      and p.next_attempt_at <= ${query.before}
    order by u.created_at limit ${query.limit}`
}

/** Records the time at which the result of a transaction was last read. */
export async function recordExamination(
  db: Db,
  { txHash, at }: { readonly txHash: Hex; readonly at: Date },
): Promise<void> {
  await db`update relayer_transactions set examined_at = ${at} where tx_hash = ${txHash}`
}

/**
 * Reopens a transaction, which then counts as unresolved until its result is read again. Returns false if it is not
 * `final`.
 */
export async function reopenTransaction(db: Db, txHash: Hex): Promise<boolean> {
  const move = { from: 'final', to: 'signed' } as const
  invariant(
    isAllowedTransition(RELAYER_TRANSACTION_TRANSITIONS, move),
    'a final transaction cannot be reopened',
  )
  const rows = await db`
    update relayer_transactions set status = ${move.to}, block_number = null
    where tx_hash = ${txHash} and status = ${move.from}
    returning 1`
  return rows.length > 0
}
