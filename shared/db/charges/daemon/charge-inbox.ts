import type { Address, Hex } from '../../../domain/address.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Pair, PairContract } from '../../../domain/networks.ts'
import { atDepth } from '../../chain-facts/daemon/at-depth.ts'
import type { Db } from '../../connect.ts'
import { chargesWithCheckedEnds } from '../../escrow/daemon/escrow-end-checks.ts'
import { listChargesWithEscrowTransfers } from '../../escrow/daemon/escrow-transfers.ts'
import { type ChargeRow, chargeColumns } from '../charge-row.ts'
import { type ExpiryRule, mayExpire } from './charge-expiry.ts'

/** A transfer at confirmation depth that can be credited. */
export type DueCredit = Pair &
  PairContract & {
    readonly id: number
    readonly chargeId: string
    readonly valueAtomic: AtomicUnits
    readonly amountAtto: AttoDollars
    /** Block of the transfer when it was read. In another block, the transaction might pay another amount. */
    readonly blockHash: Hex
    /** Timestamp of the transfer's block, in Unix seconds. */
    readonly blockTimestamp: number
  }

/** An event of a charge's split that is not announced or not counted yet. */
export type DueSplitEvent = Pair &
  PairContract & {
    readonly id: number
    readonly chargeId: string
    readonly kind: 'distributed' | 'held' | 'released'
    readonly account: Address
    readonly amountAtomic: AtomicUnits
    readonly txHash: Hex
    /** Block of the event when it was read. */
    readonly blockHash: Hex
    readonly isAnnounced: boolean
    /** Whether the event is at confirmation depth, so that it can be counted. */
    readonly isDeep: boolean
    /** Whether the event was announced and is now orphaned. */
    readonly isOrphaned: boolean
  }

/** Maximum transfers read in one turn, so that each turn stays short even if a charge has many dust transfers. */
export const CREDITS_PER_TURN = 5_000

/**
 * Maximum split events read in one turn, not counting further events of the same transactions. Any account can
 * distribute one unit any number of times, and events accumulate while a charge is quarantined.
 */
const SPLIT_EVENTS_PER_TURN = 1_000

/**
 * Lists charges with due credits, split events, escrow transfers, a checked end of an escrow, or a passed deadline.
 * Charges in `except` are excluded before the limit applies, so that their rows do not use it up.
 *
 * Does not lock the charges, so another daemon might process a listed charge first.
 */
export async function listChargesWithWork(
  db: Db,
  query: { readonly limit: number; readonly rule: ExpiryRule; readonly except: readonly string[] },
): Promise<readonly string[]> {
  const { limit, except } = query
  const rows = await db<{ chargeId: string }[]>`
    select distinct m.charge_id from (
      (select t.charge_id from transfers t join deployments d on d.chain_id = t.chain_id
       join charges c on c.id = t.charge_id and c.quarantined_at is null
       where t.credited_at is null and t.accepted and t.inclusion = 'included' and t.charge_id <> all (${except})
         and ${atDepth(db, 't')} order by t.id limit ${limit})
      union all
      (select e.charge_id from split_events e join deployments d on d.chain_id = e.chain_id
       join charges c on c.id = e.charge_id and c.quarantined_at is null
       where ${needsAttention(db)} and e.charge_id <> all (${except}) order by e.id limit ${limit})
      union all
      (${listChargesWithEscrowTransfers(db, query)})
      union all
      (${chargesWithCheckedEnds(db, query)})
      union all
      (${mayExpire(db, query.rule)} and c.id <> all (${except}) limit ${limit})
    ) m
    order by m.charge_id limit ${limit}`
  return rows.map(({ chargeId }) => chargeId)
}

/** Locks these charges in the order of their ids. Skips quarantined charges. */
export async function lockCharges(db: Db, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select id from charges where id = any (${ids}) and quarantined_at is null order by id for no key update`
  return rows.map(({ id }) => id)
}

/**
 * Reads charges that the caller has locked. A separate statement is necessary, because the statement that locks might
 * read older versions of the rows.
 */
export async function readLockedCharges(db: Db, ids: readonly string[]): Promise<readonly ChargeRow[]> {
  return db<ChargeRow[]>`select ${chargeColumns(db)} from charges c where c.id = any (${ids}) order by c.id`
}

/**
 * Lists at most `CREDITS_PER_TURN` uncredited transfers of these charges at confirmation depth, earliest block first.
 */
export async function listDueCredits(db: Db, chargeIds: readonly string[]): Promise<readonly DueCredit[]> {
  return db<DueCredit[]>`
    select t.id, t.charge_id, t.network, t.token, t.chain_id, t.token_address, p.decimals, t.value_atomic,
      t.amount_atto, t.block_hash, t.block_timestamp
    from transfers t
    join deployments d on d.chain_id = t.chain_id
    join pairs p on p.chain_id = t.chain_id and p.token_address = t.token_address
    where t.charge_id = any (${chargeIds}) and t.credited_at is null and t.accepted and t.inclusion = 'included'
      and ${atDepth(db, 't')}
    order by t.block_timestamp, t.id
    limit ${CREDITS_PER_TURN}`
}

/**
 * Lists the oldest split events of these charges that need processing, in the order in which they were recorded. All
 * such events of a transaction are listed together, because a distribution without its held share would settle the
 * charge.
 */
export async function listDueSplitEvents(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly DueSplitEvent[]> {
  return db<DueSplitEvent[]>`
    with oldest as (
      select e.charge_id, e.chain_id, e.tx_hash
      from split_events e
      join deployments d on d.chain_id = e.chain_id
      join pairs p on p.chain_id = e.chain_id and p.token_address = e.token_address
      where e.charge_id = any (${chargeIds}) and ${needsAttention(db)}
      order by e.id
      limit ${SPLIT_EVENTS_PER_TURN})
    select e.id, e.charge_id, e.kind, d.network, p.token, e.chain_id, e.token_address, p.decimals, e.account, e.amount_atomic,
      e.tx_hash, e.block_hash, e.notified_at is not null as is_announced,
      ${atDepth(db, 'e')} and e.inclusion = 'included' as is_deep,
      e.inclusion = 'orphaned' as is_orphaned
    from (select distinct charge_id, chain_id, tx_hash from oldest) o
    join split_events e on e.chain_id = o.chain_id and e.tx_hash = o.tx_hash and e.charge_id = o.charge_id
    join deployments d on d.chain_id = e.chain_id
    join pairs p on p.chain_id = e.chain_id and p.token_address = e.token_address
    where ${needsAttention(db)}
    order by e.id`
}

/**
 * Returns the condition that an uncounted split event needs processing: it is not announced, it is at confirmation
 * depth, or it was orphaned after it was announced.
 */
function needsAttention(db: Db) {
  return db`
    e.applied_at is null and (
      (e.inclusion = 'included' and (e.notified_at is null or ${atDepth(db, 'e')}))
      or (e.inclusion = 'orphaned' and e.notified_at is not null))`
}
