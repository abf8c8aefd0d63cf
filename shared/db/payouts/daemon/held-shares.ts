import type { Address } from '../../../domain/address.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import { isCorroborationTimedOut } from '../../chain-facts/daemon/at-depth.ts'
import type { Db } from '../../connect.ts'
import { isDust, isMerchantRecipient } from '../../predicates.ts'
import { toRowSet } from '../../rows.ts'

/** A change, at confirmation depth, of the amount that a split holds for a recipient. */
export type HeldShareChange = {
  readonly chargeId: string
  readonly chainId: number
  readonly tokenAddress: Address
  readonly recipient: Address
  /** The held amount; negative if it was released. */
  readonly changeAtomic: AtomicUnits
}

/** A share that a split holds for one recipient (decisions 5.3). */
export type HeldShare = Omit<HeldShareChange, 'changeAtomic'> & {
  readonly id: number
  readonly splitAddress: Address
  readonly heldAtomic: AtomicUnits
  /** Time at which the caller's claim ends. */
  readonly nextAttemptAt: Date
  /** Whether the share is too small to be worth our gas. It waits until it grows, or another sender releases it. */
  readonly isDust: boolean
  /**
   * Whether one of our transactions for the share has reverted. Cancellations also have the status `reverted`, but do
   * not count.
   */
  readonly hasReverted: boolean
}

/**
 * Adds these changes to the held shares. The caller must have locked the charges, and must apply each split event once.
 */
export async function applyHeldShareChanges(
  db: Db,
  changes: readonly HeldShareChange[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return
  await db`
    insert into held_shares as h (charge_id, chain_id, token_address, recipient, held_atomic, next_attempt_at)
    select c.charge_id, c.chain_id, c.token_address, c.recipient, sum(c.held_atomic), ${now}
    from ${toRowSet(db, 'held_shares', { rows: changes, names: { changeAtomic: 'held_atomic' } })} c
    group by 1, 2, 3, 4
    on conflict (charge_id, chain_id, token_address, recipient) do update set
      held_atomic = h.held_atomic + excluded.held_atomic,
      next_attempt_at = case when excluded.held_atomic > 0 then ${now} else h.next_attempt_at end`
}

/**
 * Claims shares that may be released now, longest due first. The claim lasts until `until`. Skips rows that another
 * worker has locked, and shares in flight: those with an unresolved transaction of ours, or with a release by any
 * sender that is not applied yet.
 */
export async function claimHeldShares(
  db: Db,
  claim: {
    readonly chainId: number
    readonly now: Date
    readonly until: Date
    /**
     * Minimum payout. Smaller shares wait, except the merchant's share of an unsettled charge whose settlement includes
     * this pair, if the charge is confirmed, has expired, or has received at least the minimum before `expiresAt`.
     */
    readonly minimumAtto: AttoDollars
    readonly limit: number
  },
): Promise<readonly HeldShare[]> {
  // Uses an array, because a nested loop would run the limited subquery once per row, and lock more rows each time.
  return db<HeldShare[]>`
    update held_shares h set next_attempt_at = ${claim.until}
    from charges c, pairs t
    where c.id = h.charge_id and t.chain_id = h.chain_id and t.token_address = h.token_address
      and h.id = any (array(
        select s.id from held_shares s
        where s.chain_id = ${claim.chainId} and s.held_atomic > 0 and s.next_attempt_at <= ${claim.now}
          and not exists (
            select from relayer_transactions r where r.held_share_id = s.id and r.status in ('signed', 'mined'))
          and not exists (
            select from split_events e join deployments d on d.chain_id = e.chain_id
            where e.charge_id = s.charge_id and e.chain_id = s.chain_id and e.token_address = s.token_address
              and e.kind = 'released' and e.account = s.recipient and e.inclusion = 'included'
              and e.applied_at is null and not ${isCorroborationTimedOut(db, 'e', claim.now)})
        order by s.next_attempt_at, s.id limit ${claim.limit} for no key update skip locked))
    returning h.id, h.charge_id, h.chain_id, h.token_address, c.split_address, h.recipient, h.held_atomic,
      h.next_attempt_at,
      exists (
        select from relayer_transactions r
        where r.held_share_id = h.id and r.status = 'reverted' and not r.is_cancellation) as has_reverted,
      not (c.settled_at is null and ${isMerchantRecipient(db, db`h.recipient`)}
           and exists (
             select from charge_ledgers l where l.charge_id = h.charge_id and l.chain_id = h.chain_id
               and l.token_address = h.token_address and l.settlement_atomic > 0)
           and (c.status in ('confirmed', 'expired') or c.on_time_atto >= ${db.types.numeric(claim.minimumAtto)}))
        and ${isDust(db, db`h.held_atomic`, claim.minimumAtto)} as is_dust`
}

/** Postpones a share that the caller has claimed. Has no effect if another worker has claimed the share since. */
export async function postponeHeldShare(
  db: Db,
  share: Pick<HeldShare, 'id' | 'nextAttemptAt'> & { readonly until: Date; readonly error: string | null },
): Promise<void> {
  await db`
    update held_shares set next_attempt_at = ${share.until}, last_error = ${share.error}
    where id = ${share.id} and next_attempt_at = ${share.nextAttemptAt}`
}

/**
 * Locks a share until the caller's transaction ends, if the caller still holds the claim and none of our transactions
 * for the share is in flight.
 *
 * @returns whether the share was locked
 */
export async function lockHeldShare(
  db: Db,
  share: Pick<HeldShare, 'id' | 'nextAttemptAt'>,
): Promise<boolean> {
  const rows = await db`
    select from held_shares h where h.id = ${share.id} and h.next_attempt_at = ${share.nextAttemptAt}
      and not exists (
        select from relayer_transactions r where r.held_share_id = h.id and r.status in ('signed', 'mined'))
    for no key update`
  return rows.length > 0
}
