import type { AttoDollars } from '../../../domain/money.ts'
import { isCorroborationTimedOut } from '../../chain-facts/daemon/at-depth.ts'
import type { Db } from '../../connect.ts'
import { isDust, owedAtomic } from '../../predicates.ts'
import type { TransactionStatus } from '../../relayer/daemon/expiring-transactions.ts'
import { isSettling, ledgerTables, type PayoutRow, payoutColumns, payoutTables } from '../payouts.ts'

export interface DuePayoutRow extends PayoutRow {
  readonly organizationId: string
  /** Whether the owed amount is below the minimum payout. The payout then waits for further payments. */
  readonly isDust: boolean
  /**
   * Whether one of our transactions for the payout has reverted. Cancellations also have the status `reverted`, but do
   * not count.
   */
  readonly hasReverted: boolean
  /** Status of the last transaction of the current attempt; `null` if the attempt has sent none. */
  readonly attemptTransaction: TransactionStatus | null
}

type DueQuery = {
  readonly chainId: number
  readonly now: Date
  /**
   * Minimum payout. Smaller amounts wait, unless an unsettled charge needs the payout to settle, and is confirmed, has
   * expired, or has received at least the minimum before `expiresAt`.
   */
  readonly minimumAtto: AttoDollars
  readonly limit: number
  /** Id of the organization that was served last. Organizations with higher ids come first. */
  readonly afterOrganization: string
}

/**
 * Locks payouts that our worker must process now. Each organization with such payouts gets an equal maximum, longest
 * due first, so that no organization's backlog delays another's. Skips rows that another session has locked.
 *
 * A lock might be acquired after the snapshot was taken, so the caller must check the payout again before signing.
 */
export async function lockDuePayouts(db: Db, query: DueQuery): Promise<DuePayoutRow[]> {
  return db<DuePayoutRow[]>`
    with recursive ${organizationsInTurn(db, query)},
    served as materialized (
      select o.place, o.organization_id from in_turn o
      where exists (
        select from ${ledgerTables(db)} where p.organization_id = o.organization_id and ${isDue(db, query)}
        offset 0)
      limit ${query.limit}),
    due as materialized (
      select d.id, s.place, row_number() over (partition by s.place order by d.next_attempt_at, d.id) as position
      from served s cross join lateral (
        select p.id, p.next_attempt_at
        from ${ledgerTables(db)} where p.organization_id = s.organization_id and ${isDue(db, query)}
        order by p.next_attempt_at, p.id
        limit (select (${query.limit} + count(*) - 1) / count(*) from served)) d
      order by position, s.place limit ${query.limit})
    select ${payoutColumns(db)}, p.organization_id,
      not (${isSettling(db)} and c.settled_at is null and l.payable_atomic >= l.settlement_atomic
           and (c.status in ('confirmed', 'expired') or c.on_time_atto >= ${db.types.numeric(query.minimumAtto)}))
        and ${isDust(db, owedAtomic(db), query.minimumAtto)} as is_dust,
      exists (
        select from relayer_transactions r
        where r.payout_id = p.id and r.status = 'reverted' and not r.is_cancellation) as has_reverted,
      (select r.status from relayer_transactions r
       where r.payout_id = p.id and r.created_at >= p.processing_started_at
       order by r.nonce desc, r.status = 'replaced', r.created_at desc limit 1) as attempt_transaction
    from due, ${payoutTables(db)}
    where p.id = due.id and ${isDue(db, query)}
    order by due.position, due.place
    for no key update of p skip locked`
}

/**
 * Defines the common table expression `in_turn`: the organizations with pending or processing payouts on the chain.
 * Ids after `afterOrganization` come first, then the remaining ids from the lowest. Each organization costs one index
 * step, so a query that needs only a few organizations does not read all of them.
 */
function organizationsInTurn(
  db: Db,
  { chainId, afterOrganization }: Pick<DueQuery, 'chainId' | 'afterOrganization'>,
) {
  const next = (after: ReturnType<Db>) => db`
    (select p.organization_id from payouts p
     where p.chain_id = ${chainId} and p.status in ('pending', 'processing') and p.organization_id > ${after}
     order by p.organization_id limit 1)`
  return db`
    later (id) as (
      select * from ${next(db`${afterOrganization}`)} first
      union all
      select ${next(db`later.id`)} from later where later.id is not null),
    earlier (id) as (
      select * from ${next(db`''`)} first
      union all
      select ${next(db`earlier.id`)} from earlier where earlier.id < ${afterOrganization}),
    in_turn as (
      select row_number() over () as place, o.id as organization_id from (
        select id from later where id is not null
        union all
        select id from earlier where id <= ${afterOrganization}) o)`
}

/** Returns whether our worker must process any payout of the chain now. Takes no lock. */
export async function hasDuePayouts(
  db: Db,
  query: { readonly chainId: number; readonly now: Date },
): Promise<boolean> {
  const rows = await db`
    select from ${payoutTables(db)} where ${isDue(db, query)} order by p.next_attempt_at, p.id limit 1`
  return rows.length > 0
}

/**
 * Returns the condition that our worker must process a payout now. Nothing may be in flight: no unresolved transaction
 * of ours, and no distribution by any sender that the ledger does not include yet but might still include.
 *
 * With `offset 0`, here and in the callers, the planner checks payout by payout. Otherwise it might join all
 * transactions in the table.
 */
function isDue(db: Db, query: { readonly chainId: number; readonly now: Date }) {
  return db`
    p.chain_id = ${query.chainId} and p.next_attempt_at <= ${query.now}
      and (p.status = 'pending'
           or (p.status = 'processing' and coalesce(p.leased_until, '-infinity') <= ${query.now}))
      and ${owedAtomic(db)} > 0
      and not exists (
        select from relayer_transactions r where r.payout_id = p.id and r.status in ('signed', 'mined') offset 0)
      and not exists (
        select from relayer_transactions r where r.payout_id = p.id and r.status = 'final' and not exists (
          select from split_events e
          where e.charge_id = p.charge_id and e.chain_id = p.chain_id and e.tx_hash = r.tx_hash
            and e.applied_at is not null) offset 0)
      and not exists (
        select from split_events e join deployments d on d.chain_id = e.chain_id
        where e.charge_id = p.charge_id and e.chain_id = p.chain_id and e.token_address = p.token_address
          and e.kind = 'distributed' and e.inclusion = 'included' and e.applied_at is null
          and not ${isCorroborationTimedOut(db, 'e', query.now)} offset 0)`
}
