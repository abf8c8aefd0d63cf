import type { Address, Hex } from '../../../domain/address.ts'
import type { ChargeStatus } from '../../../domain/charge.ts'
import type { Environment, Network } from '../../../domain/networks.ts'
import { isSingleSource, isUncorroborated } from '../../chain-facts/daemon/at-depth.ts'
import type { Db } from '../../connect.ts'
import { isOpen } from '../../predicates.ts'

/**
 * A charge past its deadline that does not expire, because a balance does not match or could not be read, or because
 * only the feed shows a payment.
 */
export type ExpiryBlockedCharge = {
  readonly id: string
  readonly organizationName: string
  readonly environment: Environment
  readonly status: ChargeStatus
  readonly network: Network
  readonly result: 'unverified' | 'excess' | 'unconfirmed'
  readonly tokenAddress: Address | null
  readonly expectedAtomic: bigint | null
  readonly foundAtomic: bigint | null
  readonly checkedAt: Date | null
}

/**
 * Lists the open charges whose expiry is blocked: first by a balance mismatch, then by a payment that only the feed
 * shows, then by unread balances. Returns at most 1,000 entries, one for each network or payment that blocks a charge.
 */
export async function listExpiryBlockedCharges(db: Db): Promise<readonly ExpiryBlockedCharge[]> {
  const ofCharge = db`c.id, c.expires_at, o.name as organization_name, c.environment, c.status, d.network`
  const ofOrganization = db`join organizations o on o.id = c.organization_id`
  return await db<ExpiryBlockedCharge[]>`
    select id, organization_name, environment, status, network, result, token_address, expected_atomic, found_atomic,
      checked_at
    from (
      (select ${ofCharge}, e.result, e.token_address, e.expected_atomic, e.found_atomic, e.checked_at
       from ${waitingForEvidence(db)} ${ofOrganization}
       where e.result in ('unverified', 'excess') and ${isUnordered(db)}
       order by e.result, c.expires_at, c.id limit 1000)
      union all
      (select ${ofCharge}, 'unconfirmed', t.token_address, null, t.value_atomic, t.detected_at
       from ${paidByDoubted(db)} ${ofOrganization}
       order by c.expires_at, c.id limit 1000)
    ) held
    order by result, expires_at, id
    limit 1000`
}

/**
 * Counts the open charges whose expiry is blocked by a balance mismatch, or by a payment that only the feed shows, and
 * for which no operator has ordered the expiry since.
 */
export async function countExpiryBlockedCharges(db: Db): Promise<number> {
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
  return db`expiry_verifications e
    join charges c on c.id = e.charge_id and ${isOpen(db, db`c.status`)}
    join deployments d on d.chain_id = e.chain_id and d.abandoned_at is null`
}

/**
 * Selects open charges past their deadline with a payment that only the feed shows. A payment that is detected after an
 * operator's order blocks the charge again.
 */
function paidByDoubted(db: Db) {
  return db`transfers t
    join charges c on c.id = t.charge_id and ${isOpen(db, db`c.status`)} and c.expires_at <= now()
      and t.credited_at is null and t.accepted
      and not exists (select from expiry_overrides x where x.charge_id = c.id and x.ordered_at >= t.detected_at)
    join deployments d on d.chain_id = t.chain_id and d.abandoned_at is null and ${isUncorroborated(db, 't')}`
}

function isUnordered(db: Db) {
  return db`not exists (select from expiry_overrides x where x.charge_id = c.id)`
}

/**
 * An operator's order to let a charge expire, its reason, and whether the operator verified that the payments that only
 * the feed shows were not made.
 */
export type ExpiryOverride = {
  readonly chargeId: string
  readonly because: string
  readonly isDespiteUnconfirmed: boolean
}

/** The result of an operator's order. */
export type ExpiryOverrideResult = {
  readonly status: ChargeStatus
  readonly expiresAt: Date
  /** Whether the charge needs an order, because it is open and past its deadline. */
  readonly isWaiting: boolean
  /** Hashes of uncredited payments that no quorum has shown at confirmation depth. */
  readonly unconfirmed: readonly Hex[]
}

/**
 * Records that a charge may expire regardless of its balances. Records nothing if `isWaiting` of the result is false.
 * Without `isDespiteUnconfirmed`, records nothing if the result has `unconfirmed` payments, and does not replace an
 * earlier order.
 *
 * The charge still waits for chain time, and for pending transfers that were mined in time, except transfers that only
 * the feed had shown when the order was given.
 *
 * @returns `undefined` if no such charge exists
 */
export async function insertExpiryOverride(
  db: Db,
  { chargeId, because, isDespiteUnconfirmed }: ExpiryOverride,
): Promise<ExpiryOverrideResult | undefined> {
  const [charge] = await db<ExpiryOverrideResult[]>`
    with charge as (
      select c.id, c.status, c.expires_at, ${isOpen(db, db`c.status`)} and c.expires_at <= now() as is_waiting,
        array(
          select t.tx_hash from transfers t join deployments d on d.chain_id = t.chain_id and d.abandoned_at is null
          where t.charge_id = c.id and t.credited_at is null and t.accepted and ${isSingleSource(db, 't')}
          order by t.tx_hash
        ) as unconfirmed
      from charges c where c.id = ${chargeId}
    ), ordered as (
      insert into expiry_overrides (charge_id, reason)
      select id, ${because} from charge where is_waiting and (${isDespiteUnconfirmed} or unconfirmed = '{}')
      on conflict (charge_id) do update set reason = excluded.reason, ordered_by = session_user, ordered_at = now()
      where ${isDespiteUnconfirmed}
    )
    select status, expires_at, is_waiting, unconfirmed from charge`
  return charge
}
