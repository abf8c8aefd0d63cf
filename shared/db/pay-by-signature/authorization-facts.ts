import type { Fragment } from 'postgres'
import type { Address } from '../../domain/address.ts'
import {
  AUTHORIZATION_GAS,
  type PayBySignatureFacts,
  type SignablePair,
} from '../../domain/eip3009/plan-authorization.ts'
import { seenAtto } from '../chain-facts/seen-amount.ts'
import { isStale, type StaleAfter } from '../chain-facts/stale.ts'
import type { Db } from '../connect.ts'
import { isBroken } from './circuit-breaker.ts'
import { inFlightAuthorization } from './in-flight.ts'

/** Age at which a published pair (`signable_pairs`) expires. Daemons renew published pairs every minute. */
const OFFER_HOLDS = '10 minutes'

/**
 * Finds the facts that decide whether a charge can be paid by signature; `null` if no such charge exists.
 *
 * The amounts received and in flight are read in one statement. Between two statements, a payment that changes from in
 * flight to received could be missed.
 *
 * @param input.besides - the request to decide on, which must not count against itself
 */
export async function findSignatureFacts(
  db: Db,
  input: { readonly chargeId: string; readonly besides?: string | null; readonly staleAfter: StaleAfter },
): Promise<PayBySignatureFacts | null> {
  const { chargeId, besides = null, staleAfter } = input
  const [row] = await db<Omit<PayBySignatureFacts, 'pairs'>[]>`
    select c.id as charge_id, c.address, c.status, c.is_simulated,
      c.quarantined_at is not null as is_parked, c.expires_at, c.amount_micro, c.received_atto,
      ${seenAtto(db, db`c.id`)} as seen_atto,
      ${inFlightAuthorization(db, { chargeId: db`c.id`, besides })} as in_flight
    from charges c where c.id = ${chargeId}`
  return row === undefined ? null : { ...row, pairs: await listSignablePairs(db, { chargeId, staleAfter }) }
}

/**
 * Returns SQL for the pairs with which a charge of this amount can be paid by signature now, as an unordered array of
 * pair keys. Each pair is published, neither paused nor stale, and its minimum is at most the amount. The
 * organization's gas quota and circuit breaker are checked only at payment.
 */
export function signablePairs(
  db: Db,
  charge: {
    readonly environment: Fragment
    readonly acceptedPayments: Fragment
    readonly amountMicro: Fragment
  },
  staleAfter: StaleAfter,
) {
  return db`
    array(
      select p.token || '/' || p.network from signable_pairs s
      join pairs p on p.chain_id = s.chain_id and p.token_address = s.token_address
      join deployments d on d.chain_id = p.chain_id
      where p.environment = ${charge.environment} and p.token || '/' || p.network = any (${charge.acceptedPayments})
        and p.paused_at is null and s.minimum_micro <= ${charge.amountMicro}
        and s.refreshed_at > now() - ${OFFER_HOLDS}::interval
        and not ${isStale(db, staleAfter)})`
}

type PairRow = Omit<SignablePair, 'domain'> & { readonly name: string; readonly version: string }

/**
 * Lists the published pairs of a charge, in the order in which the charge accepts them. Marks paused pairs as
 * unavailable, and pairs on a stale network, because newer transfers on that network are unknown.
 */
async function listSignablePairs(
  db: Db,
  { chargeId, staleAfter }: { readonly chargeId: string; readonly staleAfter: StaleAfter },
): Promise<readonly SignablePair[]> {
  const rows = await db<PairRow[]>`
    select p.token, p.network, p.chain_id, p.token_address, p.decimals, s.domain_name as name,
      s.domain_version as version, d.block_time_ms, s.minimum_micro,
      p.paused_at is not null or ${isStale(db, staleAfter)} as is_unavailable,
      s.daily_gas_limit,
      (select coalesce(sum(coalesce(a.gas_limit, ${AUTHORIZATION_GAS}::int)), 0)::bigint from authorizations a
       where a.organization_id = c.organization_id and a.chain_id = p.chain_id and a.relayer is not null
         and a.created_at > now() - interval '1 day') as used_gas,
      ${isBroken(db, { organizationId: db`c.organization_id`, chainId: db`p.chain_id`, areSignedByKeys: true })} as is_broken
    from charges c
    join pairs p on p.environment = c.environment and p.token || '/' || p.network = any (c.accepted_payments)
    join signable_pairs s on s.chain_id = p.chain_id and s.token_address = p.token_address
    join deployments d on d.chain_id = p.chain_id
    where c.id = ${chargeId} and s.refreshed_at > now() - ${OFFER_HOLDS}::interval
    order by array_position(c.accepted_payments, p.token || '/' || p.network)`
  return rows.map(({ name, version, ...pair }) => ({ ...pair, domain: { name, version } }))
}

/** Counts of a payer's earlier authorizations. They limit our cost per payer. */
export type PayerHistory = {
  /**
   * Whether an authorization of the payer is in flight, for any charge of this environment. Authorizations whose window
   * ended more than an hour ago do not count.
   */
  readonly hasInFlight: boolean
  /** Authorizations that reverted within the last day. */
  readonly reverted: number
  /** Authorizations that expired within the last day and for which we sent no transaction. */
  readonly expired: number
}

/**
 * Time after the end of its window for which an authorization in flight blocks the payer's other authorizations. The
 * limit is needed because an authorization stays in flight if its chain is no longer read.
 */
const LEFT_BEHIND_SECONDS = 3_600

/**
 * Reads the outcomes of a payer's authorizations in the environment of a charge, on all chains.
 *
 * Once the request's own authorization is recorded, only earlier authorizations count. If two are sent to nodes at the
 * same time, the earlier one can therefore proceed.
 */
export async function readPayerHistory(
  db: Db,
  {
    payer,
    chargeId,
    requestId,
  }: { readonly payer: Address; readonly chargeId: string; readonly requestId: string },
): Promise<PayerHistory> {
  const [row] = await db<[PayerHistory]>`
    select coalesce(bool_or(a.status = 'signed'
        and a.valid_before > extract(epoch from now()) - ${LEFT_BEHIND_SECONDS}::int), false) as has_in_flight,
      count(*) filter (where a.status = 'reverted' and a.ended_at > now() - interval '1 day') as reverted,
      count(*) filter (where a.status = 'expired' and a.relayer is null and a.ended_at > now() - interval '1 day') as expired
    from authorizations a
    join charges of on of.id = a.charge_id
    join charges c on c.id = ${chargeId} and c.environment = of.environment
    left join authorizations own on own.request_id = ${requestId}
    where a.payer = ${payer} and a.status in ('signed', 'reverted', 'expired') and (own.id is null or a.id < own.id)`
  return row
}

/** Key of the advisory lock: "payr" in ASCII. */
const PAYER_LOCK = 0x70617972

/**
 * Serializes writers of this payer's authorizations, on all chains, until the end of the transaction. Otherwise two
 * writers that read the payer's history at the same time would not see each other's authorization.
 */
export async function lockPayer(db: Db, payer: Address): Promise<void> {
  await db`select pg_advisory_xact_lock(${PAYER_LOCK}::int4, hashtext(${payer}))`
}
