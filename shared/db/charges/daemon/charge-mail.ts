import type { Address, Hex } from '../../../domain/address.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Network, Token } from '../../../domain/networks.ts'
import { atDepth } from '../../chain-facts/daemon/at-depth.ts'
import { hasEvidence } from '../../chain-facts/daemon/balance-evidence.ts'
import type { Db } from '../../connect.ts'
import { chargesWithEscrowMovements } from '../../escrow/daemon/escrow-movements.ts'
import { isOpen } from '../../laws.ts'
import { type ChargeRow, chargeColumns } from '../charge-row.ts'

/** A transfer deep enough to be credited. */
export type DueCredit = {
  readonly id: number
  readonly chargeId: string
  readonly network: Network
  readonly token: Token
  readonly chainId: number
  readonly tokenAddress: Address
  /** The token's. */
  readonly decimals: number
  readonly valueAtomic: AtomicUnits
  readonly amountAtto: AttoDollars
  /** The inclusion that was read: another one may pay another amount, at another time. */
  readonly blockHash: Hex
  /** Of its block, Unix seconds. */
  readonly blockTimestamp: number
}

/** An event of a charge's split that its actor has not heard of, or not counted yet. */
export type DueSplitEvent = {
  readonly id: number
  readonly chargeId: string
  readonly kind: 'distributed' | 'held' | 'released'
  readonly network: Network
  readonly token: Token
  readonly chainId: number
  readonly tokenAddress: Address
  /** The token's. */
  readonly decimals: number
  readonly account: Address
  readonly amountAtomic: AtomicUnits
  readonly txHash: Hex
  /** The inclusion that was read. */
  readonly blockHash: Hex
  readonly isAnnounced: boolean
  /** Deep enough to count. */
  readonly isDeep: boolean
  /** Announced once, and since then reorganized away. */
  readonly isVanished: boolean
}

/** How far a network that answers may be silent before wall time decides for it, in seconds (decisions 3.4). */
export type ExpiryRule = { readonly silentSeconds: number }

/** Transfers read in one turn: dust sent ten thousand times over takes several turns, and none takes too long. */
const CREDITS_PER_TURN = 5_000

/**
 * Lists charges with something to do, without a lock: credits that are due, news of their splits and escrows, a
 * passed deadline.
 *
 * What is listed may be done by another daemon before it is locked; nothing that is committed is ever passed over.
 */
export async function listChargesWithMail(
  db: Db,
  query: { readonly limit: number; readonly rule: ExpiryRule },
): Promise<readonly string[]> {
  const rows = await db<{ chargeId: string }[]>`
    select distinct m.charge_id from (
      (select t.charge_id from transfers t join deployments d on d.chain_id = t.chain_id
       join charges c on c.id = t.charge_id and c.parked_at is null
       where t.credited_at is null and t.accepted and t.presence = 'present'
         and ${atDepth(db, 't')} order by t.id limit ${query.limit})
      union all
      (select e.charge_id from split_events e join deployments d on d.chain_id = e.chain_id
       join charges c on c.id = e.charge_id and c.parked_at is null
       where ${needsAttention(db)} order by e.id limit ${query.limit})
      union all
      (${chargesWithEscrowMovements(db, query.limit)})
      union all
      (${passedDeadlines(db, query.rule)} limit ${query.limit})
    ) m
    order by m.charge_id limit ${query.limit}`
  return rows.map(({ chargeId }) => chargeId)
}

/** Locks these charges in the order of their ids; parked ones are left out. */
export async function lockCharges(db: Db, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select id from charges where id = any (${ids}) and parked_at is null order by id for no key update`
  return rows.map(({ id }) => id)
}

/** Reads charges their actor has locked. Not in the statement that locks: that one may see them as they were. */
export async function readLockedCharges(db: Db, ids: readonly string[]): Promise<readonly ChargeRow[]> {
  return db<ChargeRow[]>`select ${chargeColumns(db)} from charges c where c.id = any (${ids}) order by c.id`
}

/** Lists transfers of these charges that are deep enough and not credited, in the order they were mined. */
export async function listDueCredits(db: Db, chargeIds: readonly string[]): Promise<readonly DueCredit[]> {
  return db<DueCredit[]>`
    select t.id, t.charge_id, t.network, t.token, t.chain_id, t.token_address, p.decimals, t.value_atomic,
      t.amount_atto, t.block_hash, t.block_timestamp
    from transfers t
    join deployments d on d.chain_id = t.chain_id
    join pairs p on p.chain_id = t.chain_id and p.token_address = t.token_address
    where t.charge_id = any (${chargeIds}) and t.credited_at is null and t.accepted and t.presence = 'present'
      and ${atDepth(db, 't')}
    order by t.block_timestamp, t.id
    limit ${CREDITS_PER_TURN}`
}

/** Lists the split events of these charges that are news to their actor, in the order they were recorded. */
export async function listDueSplitEvents(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly DueSplitEvent[]> {
  return db<DueSplitEvent[]>`
    select e.id, e.charge_id, e.kind, d.network, p.token, e.chain_id, e.token_address, p.decimals, e.account, e.amount_atomic,
      e.tx_hash, e.block_hash, e.announced_at is not null as is_announced,
      ${atDepth(db, 'e')} and e.presence = 'present' as is_deep,
      e.presence = 'vanished' as is_vanished
    from split_events e
    join deployments d on d.chain_id = e.chain_id
    join pairs p on p.chain_id = e.chain_id and p.token_address = e.token_address
    where e.charge_id = any (${chargeIds}) and ${needsAttention(db)}
    order by e.id`
}

/** Lists those of these charges whose deadline has passed on every network; facts and heads of one moment. */
export async function listPassedDeadlines(
  db: Db,
  query: { readonly chargeIds: readonly string[]; readonly rule: ExpiryRule },
): Promise<readonly string[]> {
  const rows = await db<{ chargeId: string }[]>`
    ${passedDeadlines(db, query.rule)} and c.id = any (${query.chargeIds})`
  return rows.map(({ chargeId }) => chargeId)
}

/** News of a split event: not announced, deep enough to be applied, or vanished after it was announced. */
function needsAttention(db: Db) {
  return db`
    e.applied_at is null and (
      (e.presence = 'present' and (e.announced_at is null or ${atDepth(db, 'e')}))
      or (e.presence = 'vanished' and e.announced_at is not null))`
}

/**
 * Open charges that may expire (decisions 3.4): on every accepted network a block stamped `expiresAt` or later is at
 * confirmation depth, so whatever was mined before is credited or has vanished. A transfer mined in time that still
 * waits, or is missing, holds the charge open. A silent network counts as passed while its node says that the chain
 * itself has stopped; an abandoned one does not count, nor does what still waits on it. And on every network another
 * source than the feed has shown that nothing is there which our rows do not explain.
 *
 * A network that is behind the oldest open deadline holds all its charges open. They are passed over at once: there may
 * be a hundred thousand of them, looked at every second until its nodes are back.
 */
function passedDeadlines(db: Db, rule: ExpiryRule) {
  return db`
    select c.id as charge_id from charges c
    where ${isOpen(db, db`c.status`)} and c.expires_at <= now() and c.parked_at is null
      and not c.accepted_chains && array(
        select d.chain_id from deployments d
        where d.abandoned_at is null and not coalesce(d.quiet_at > now() - interval '2 minutes', false)
          and to_timestamp(coalesce(d.deep_timestamp, 0)) < (
            select min(o.expires_at) from charges o where ${isOpen(db, db`o.status`)}))
      and not exists (
        select from transfers t left join deployments d on d.chain_id = t.chain_id
        where t.charge_id = c.id and t.accepted and t.credited_at is null and t.presence <> 'vanished'
          and d.abandoned_at is null and to_timestamp(t.block_timestamp) < c.expires_at)
      and not exists (
        select from unnest(c.accepted_chains) as a (chain_id) left join deployments d on d.chain_id = a.chain_id
        where d.abandoned_at is null
          and (d.deep_timestamp is null or to_timestamp(d.deep_timestamp) < c.expires_at)
          and not coalesce(d.quiet_at > now() - interval '2 minutes'
            and c.expires_at + make_interval(secs => ${rule.silentSeconds}) <= now(), false))
      and ${hasEvidence(db, rule.silentSeconds)}`
}
