import type { Address, Hex } from '../../../domain/address.ts'
import type { ChargeStatus } from '../../../domain/charge.ts'
import type { Environment, Network } from '../../../domain/networks.ts'
import { isSingleSource, isUncorroborated } from '../../chain-facts/daemon/at-depth.ts'
import type { Db } from '../../connect.ts'
import { isOpen } from '../../laws.ts'

/**
 * A charge whose time is up and that does not end: a balance is not explained, or nobody could read it, or the feed alone
 * shows a payment that needs another's word.
 */
export type HeldCharge = {
  readonly id: string
  readonly organizationName: string
  readonly environment: Environment
  readonly status: ChargeStatus
  readonly network: Network
  readonly result: 'unread' | 'excess' | 'unconfirmed'
  readonly tokenAddress: Address | null
  readonly expectedAtomic: bigint | null
  readonly foundAtomic: bigint | null
  readonly checkedAt: Date | null
}

/**
 * Lists the open charges that wait for evidence, those held by a balance first, and those that a payment holds which
 * only the feed shows; at most 1,000.
 */
export async function listHeldCharges(db: Db): Promise<readonly HeldCharge[]> {
  const ofCharge = db`c.id, c.expires_at, o.name as organization_name, c.environment, c.status, d.network`
  const ofOrganization = db`join organizations o on o.id = c.organization_id`
  return await db<HeldCharge[]>`
    select id, organization_name, environment, status, network, result, token_address, expected_atomic, found_atomic,
      checked_at
    from (
      (select ${ofCharge}, e.result, e.token_address, e.expected_atomic, e.found_atomic, e.checked_at
       from ${waitingForEvidence(db)} ${ofOrganization}
       where e.result in ('unread', 'excess') and ${isUnordered(db)}
       order by e.result, c.expires_at, c.id limit 1000)
      union all
      (select ${ofCharge}, 'unconfirmed', t.token_address, null, t.value_atomic, t.detected_at
       from ${paidByDoubted(db)} ${ofOrganization}
       order by c.expires_at, c.id limit 1000)
    ) held
    order by result, expires_at, id
    limit 1000`
}

/** Counts the open charges that a balance holds, or a payment which only the feed shows, and of which nobody has decided. */
export async function countHeldCharges(db: Db): Promise<number> {
  const [row] = await db<[{ held: number }]>`
    select count(distinct id) as held
    from (
      select c.id from ${waitingForEvidence(db)} where e.result = 'excess' and ${isUnordered(db)}
      union all
      select c.id from ${paidByDoubted(db)}
    ) held`
  return row.held
}

function waitingForEvidence(db: Db) {
  return db`balance_evidence e
    join charges c on c.id = e.charge_id and ${isOpen(db, db`c.status`)}
    join deployments d on d.chain_id = e.chain_id and d.abandoned_at is null`
}

/** Those told of since an operator has decided hold it again. */
function paidByDoubted(db: Db) {
  return db`transfers t
    join charges c on c.id = t.charge_id and ${isOpen(db, db`c.status`)} and c.expires_at <= now()
      and t.credited_at is null and t.accepted
      and not exists (select from expiry_orders x where x.charge_id = c.id and x.ordered_at >= t.detected_at)
    join deployments d on d.chain_id = t.chain_id and d.abandoned_at is null and ${isUncorroborated(db, 't')}`
}

function isUnordered(db: Db) {
  return db`not exists (select from expiry_orders x where x.charge_id = c.id)`
}

/** A charge that an operator lets end, why, and whether he has seen that what only the feed shows was not paid. */
export type ExpiryOrder = {
  readonly chargeId: string
  readonly because: string
  readonly isDespiteUnconfirmed: boolean
}

/** What became of an order. */
export type OrderedExpiry = {
  readonly status: ChargeStatus
  readonly expiresAt: Date
  /** Whether it waits for an order: it is open, and its time is up. */
  readonly isWaiting: boolean
  /** What only the feed shows of payments to it, by their hashes: with any of it, it ends only despite that. */
  readonly unconfirmed: readonly Hex[]
}

/**
 * Writes down that a charge may end as its chains say, whatever its balances are; a second time the first word stays,
 * but where it is said despite what has been told of since.
 * Chain time, and what was mined in time and waits, hold it back as ever, but for what the feed alone shows by now where
 * that is not enough.
 *
 * @returns `undefined` if there is no such charge
 */
export async function orderExpiry(
  db: Db,
  { chargeId, because, isDespiteUnconfirmed }: ExpiryOrder,
): Promise<OrderedExpiry | undefined> {
  const [charge] = await db<OrderedExpiry[]>`
    with charge as (
      select c.id, c.status, c.expires_at, ${isOpen(db, db`c.status`)} and c.expires_at <= now() as is_waiting,
        array(
          select t.tx_hash from transfers t join deployments d on d.chain_id = t.chain_id and d.abandoned_at is null
          where t.charge_id = c.id and t.credited_at is null and t.accepted and ${isSingleSource(db, 't')}
          order by t.tx_hash
        ) as unconfirmed
      from charges c where c.id = ${chargeId}
    ), ordered as (
      insert into expiry_orders (charge_id, because)
      select id, ${because} from charge where is_waiting and (${isDespiteUnconfirmed} or unconfirmed = '{}')
      on conflict (charge_id) do update set because = excluded.because, ordered_by = session_user, ordered_at = now()
      where ${isDespiteUnconfirmed}
    )
    select status, expires_at, is_waiting, unconfirmed from charge`
  return charge
}
