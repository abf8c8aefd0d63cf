import type { ChargeRecord } from '../../../domain/charge.ts'
import { type PairKey, pairKey } from '../../../domain/networks.ts'
import { formatPercent } from '../../../domain/percent.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { StaleAfter } from '../../chain-facts/stale.ts'
import { type Db, errorCode } from '../../connect.ts'
import { signablePairs } from '../../pay-by-signature/authorization-facts.ts'
import { type AcceptedPair, selectAcceptedPairs } from './accepted-pairs.ts'

/** A charge to create, its idempotency data and its `charge.created` event. */
export type NewCharge = {
  readonly charge: ChargeRecord
  readonly idempotencyKey: string | null
  /** The `Request-Id` of the request that creates the charge; a UUID. */
  readonly apiRequestId: string
  /** SHA-256 of the request's parameters; empty without an idempotency key. */
  readonly requestHash: Buffer
  readonly eventId: string
  /** The Charge JSON of `charge.created`. */
  readonly eventData: string
}

export type InsertChargeOutcome =
  | {
      readonly outcome: 'created'
      readonly chargeId: string
      /** The accepted pairs at the time of the insert. Empty for a simulated charge. */
      readonly pairs: readonly AcceptedPair[]
      readonly payBySignature: readonly PairKey[]
    }
  | { readonly outcome: 'replayed'; readonly chargeId: string }
  | { readonly outcome: 'idempotency_key_reused'; readonly chargeId: string }
  | {
      readonly outcome: 'token_not_supported' | 'rpc_unavailable' | 'payment_temporarily_unavailable'
      /** Position, counted from 1, of the first pair with this problem. */
      readonly pairPosition: number
    }
  /** Another request used the idempotency key at the same time. A look-up now finds that request's charge. */
  | { readonly outcome: 'raced' }

/**
 * Inserts charges with their events and deliveries in one transaction.
 *
 * Two requests with one idempotency key create only one charge, whether they are in one call or in two; see
 * `create_charges` in the migrations.
 *
 * @returns the outcomes in the order of the charges; for a charge that was not inserted, the reason
 */
export async function insertCharges(
  db: Db,
  created: readonly NewCharge[],
  staleAfter: StaleAfter,
): Promise<readonly InsertChargeOutcome[]> {
  const wanted = created.map(({ charge: { environment, isSimulated, acceptedPayments, amountMicro } }) => ({
    environment,
    isSimulated,
    acceptedPayments: acceptedPayments.map(pairKey),
    amount: String(amountMicro),
  }))
  const kind = { environment: db`k.environment`, acceptedPayments: db`k.accepted`, amountMicro: db`k.amount` }
  return await db<InsertChargeOutcome[]>`
    with wanted as materialized (
      select * from rows from (jsonb_to_recordset(${db.json(wanted)})
        as (environment text, "isSimulated" boolean, "acceptedPayments" text[], amount numeric))
        with ordinality as w (environment, simulated, accepted, amount, place)
    ),
    -- Looked up once for all charges with the same environment, pairs and amount.
    kinds as materialized (
      select k.*, ${selectAcceptedPairs(db, kind, staleAfter)} as pairs, ${signablePairs(db, kind, staleAfter)} as pay_by_signature
      from (select distinct environment, accepted, amount from wanted where not simulated) k
    )
    select m.outcome, m.charge_id, m.pair_position, coalesce(k.pairs, '[]') as pairs,
      coalesce(k.pay_by_signature, '{}') as pay_by_signature
    from create_charges(${db.json(created.map(requestOf))}) m
    join wanted w on w.place = m.place
    left join kinds k on not w.simulated and k.environment = w.environment and k.accepted = w.accepted
      and k.amount = w.amount
    order by m.place`
}

/**
 * Returns whether a single charge might have caused this error of `insertCharges`, which then inserts no charge. True
 * for bad data, a violated constraint, and a rollback such as a deadlock (SQLSTATE classes 22, 23 and 40).
 */
export function isChargeRowError(error: unknown): boolean {
  return /^(22|23|40)/.test(errorCode(error) ?? '')
}

function requestOf({ charge, idempotencyKey, apiRequestId, requestHash, eventId, eventData }: NewCharge) {
  return {
    api_request_id: apiRequestId,
    event_id: eventId,
    event_data: eventData,
    id: charge.id,
    organization_id: charge.organizationId,
    environment: charge.environment,
    is_simulated: charge.isSimulated,
    api_key_id: charge.apiKeyId,
    family: charge.family,
    amount_micro: charge.amountMicro.toString(),
    fee_payer: charge.feePayer,
    fee_percent: formatPercent(charge.feePercent),
    escrow_fee_percent: charge.escrowFeePercent === null ? null : formatPercent(charge.escrowFeePercent),
    accepted_payments: charge.acceptedPayments.map(pairKey),
    address: charge.address,
    split_address: charge.splitAddress,
    split_terms: {
      factory: charge.splitTerms.factory,
      recipients: [...charge.splitTerms.recipients],
      allocations: [...charge.splitTerms.allocations],
      totalAllocation: charge.splitTerms.totalAllocation,
      distributionIncentive: charge.splitTerms.distributionIncentive,
    },
    split_recipients: charge.splitRecipients.map(({ address, percentText, label }) => ({
      address,
      percentText,
      ...(label === undefined ? {} : { label }),
    })),
    escrow_releaser: charge.escrow?.releaserAddress ?? null,
    external_ref: charge.externalRef,
    source: charge.source,
    metadata: charge.metadataText,
    redirect_url: charge.redirectUrl,
    idempotency_key: idempotencyKey,
    request_hash: `\\x${requestHash.toString('hex')}`,
    created_at: charge.createdAt.toISOString(),
    expires_at: charge.expiresAt.toISOString(),
  }
}

/** The charge for which an idempotency key was used, and the hash of the request that created the charge. */
export type EarlierRequest = { readonly chargeId: string; readonly requestHash: Buffer }

/** Finds the charge for which a tenant used this idempotency key; `null` if none exists. */
export async function findEarlierRequest(
  db: Db,
  input: { tenant: Tenant; idempotencyKey: string },
): Promise<EarlierRequest | null> {
  const [row] = await db<EarlierRequest[]>`
    select c.id as charge_id, c.request_hash from charges c
    where c.organization_id = ${input.tenant.organizationId} and c.environment = ${input.tenant.environment}
      and c.idempotency_key = ${input.idempotencyKey}`
  return row ?? null
}
