import { findCharge } from '../../shared/db/charges/charges-read.ts'
import { findEarlierRequest } from '../../shared/db/charges/idempotency.ts'
import type { InsertChargeOutcome, NewCharge } from '../../shared/db/charges/insert-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { findRefusedPair, type RefusedPair } from '../../shared/db/organizations/refused-pair.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { formatMicro, parseTargetAmount } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { ClientOf } from '../chain-clients.ts'
import type { AskIssuer } from '../issuers.ts'
import { findUnconfiguredPair, isSimulated } from '../networks/offered.ts'
import { type CreateChargeRequest, draftCharge, releaserOf, requirePayableFamily } from './draft-charge.ts'
import { findRestriction } from './find-restriction.ts'
import { presentCurrentCharge, presentNewCharge } from './present.ts'
import { requestHash } from './request-hash.ts'
import { requirePlainReleaser, requirePossibleReleaser } from './require-releaser.ts'
import { resolveSplits } from './resolve-splits.ts'

type Deps = {
  readonly sql: Sql
  /** Stores one charge, in one transaction with others that come at the same time. */
  readonly insert: (created: NewCharge) => Promise<InsertChargeOutcome>
  readonly ask: AskIssuer
  /** Reads the chains for the one check that must: whether the releaser of an escrow is a plain account. */
  readonly clientOf: ClientOf
  readonly config: Pick<
    ApiConfig,
    | 'fees'
    | 'treasury'
    | 'staleAfter'
    | 'checkoutBaseUrl'
    | 'deployments'
    | 'simulatedPairs'
    | 'minimumChargeMicro'
  >
}

/** The Charge JSON, and whether an earlier request had made it. */
export type CreatedCharge = { readonly json: string; readonly isReplay: boolean }

/**
 * Makes a charge, or answers the one that the same request made before.
 *
 * One statement, in which the row, its event and its deliveries commit together; with split recipients or an escrow
 * one or two come before it.
 *
 * @throws {AppError} `validation_error` for an amount below the minimum and for a releaser that is no plain account;
 * `idempotency_key_reused`,
 * `token_not_supported`, the four codes of split recipients, `recipient_transfer_restricted`, `rpc_unavailable`,
 * `payment_temporarily_unavailable`
 */
export async function createCharge(deps: Deps, request: CreateChargeRequest): Promise<CreatedCharge> {
  const hash = requestHash(request)
  const tooSmall = findTooSmall(request, deps.config)
  if (tooSmall !== null) return replayOrRefuse(deps, { request, hash, refusal: tooSmall })
  const releaser = releaserOf(request)
  if (releaser !== null) requirePossibleReleaser(releaser)
  const earlier = await findReplayBeforeChecks(deps, request, hash)
  if (earlier !== null) return replay(deps, request, earlier)

  requirePayableFamily(request)
  const unsupported = await findUnsupportedPair(deps, request)
  if (unsupported !== null)
    return replayOrRefuse(deps, { request, hash, refusal: refusePair(unsupported, request.body) })
  const splits = await resolveSplits(deps.sql, request, deps.config.treasury.evm)
  const charge = draftCharge(request, { splits, config: deps.config })
  const { payoutAddress } = request.key
  const restriction = await findRestriction(deps.ask, { charge, splits, payoutAddress })
  if (restriction !== null) {
    const refusal = (await refuseDisabledPair(deps, charge)) ?? restriction
    return replayOrRefuse(deps, { request, hash, refusal })
  }
  if (releaser !== null && !charge.isSimulated) await checkReleaser(deps, charge, releaser)
  const outcome = await deps.insert({
    charge,
    idempotencyKey: request.body.idempotencyKey ?? null,
    requestHash: hash,
    eventId: newId('evt', request.key.now.getTime()),
    eventData: presentNewCharge(charge, deps.config),
  })
  switch (outcome.outcome) {
    case 'created':
      return { json: presentCurrentCharge({ charge, ...outcome }, deps.config), isReplay: false }
    case 'replayed':
      return replay(deps, request, outcome.chargeId)
    case 'raced':
      return replay(deps, request, await getEarlier(deps, request, hash))
    case 'idempotency_key_reused':
      throw refuseReuse()
    case 'token_not_supported':
    case 'rpc_unavailable':
    case 'payment_temporarily_unavailable':
      throw refusePair(outcome, charge)
  }
}

/** Tells of an amount below the minimum of a live charge, as it is requested: what a payer adds for the fee is not his. */
function findTooSmall(
  { key, body, sourceOf }: CreateChargeRequest,
  { minimumChargeMicro }: Pick<ApiConfig, 'minimumChargeMicro'>,
): AppError | null {
  if (minimumChargeMicro === null || key.environment !== 'live') return null
  const requestedMicro = parseTargetAmount(sourceOf(body, 'amount') ?? '')
  if (requestedMicro >= minimumChargeMicro) return null
  const message = `amount ${formatMicro(requestedMicro)} is below the minimum ${formatMicro(minimumChargeMicro)}`
  return new AppError('validation_error', message, { param: 'amount' })
}

/**
 * Finds the charge of an earlier request with split recipients or an escrow: what is checked of these may have changed
 * since.
 *
 * For any other the insert itself looks, and this asks nothing.
 */
async function findReplayBeforeChecks(
  deps: Deps,
  request: CreateChargeRequest,
  hash: Buffer,
): Promise<string | null> {
  const { splitRecipients, escrow } = request.body
  return splitRecipients?.length || escrow ? findEarlier(deps, request, hash) : null
}

/**
 * A charge made before stays made, whatever issuers and configuration say today; this is looked up only now, to save
 * the others it.
 */
async function replayOrRefuse(
  deps: Deps,
  { request, hash, refusal }: { request: CreateChargeRequest; hash: Buffer; refusal: AppError },
): Promise<CreatedCharge> {
  const earlier = await findEarlier(deps, request, hash)
  if (earlier === null) throw refusal
  return replay(deps, request, earlier)
}

/**
 * Finds the first pair that cannot be accepted at all, before anybody is looked up who would be paid on it.
 *
 * Our configuration says so without asking; the rows are asked about the pairs before one that it lacks, and about all
 * where recipients follow. Of other charges, which are most, the insert says what the rows do.
 */
async function findUnsupportedPair(
  { sql, config }: Deps,
  { key, body }: CreateChargeRequest,
): Promise<RefusedPair | null> {
  const { environment } = key
  const { acceptedPayments, splitRecipients = [] } = body
  const wanted = { environment, acceptedPayments }
  const index = findUnconfiguredPair(config, wanted)
  const first = index < 0 ? null : ({ outcome: 'token_not_supported', pairPosition: index + 1 } as const)
  if (isSimulated(config, wanted) || (first === null && splitRecipients.length === 0)) return first
  const pairs = first === null ? acceptedPayments : acceptedPayments.slice(0, index)
  return (await findDisabledPair(sql, { environment, pairs })) ?? first
}

/** A pair that is none of ours is told before an issuer's restriction on it, which is no news then. */
async function refuseDisabledPair({ sql }: Deps, charge: ChargeRecord): Promise<AppError | null> {
  const { environment, acceptedPayments: pairs } = charge
  if (charge.isSimulated) return null
  const disabled = await findDisabledPair(sql, { environment, pairs })
  return disabled === null ? null : refusePair(disabled, charge)
}

/** Of what the rows refuse, what stays so: what may pass comes after every 422 (decisions 3.3). */
async function findDisabledPair(
  sql: Sql,
  wanted: Parameters<typeof findRefusedPair>[1],
): Promise<RefusedPair | null> {
  const refused = await findRefusedPair(sql, wanted)
  return refused?.outcome === 'token_not_supported' ? refused : null
}

/** Asks the chains last of all, when everything else would let the charge be made (decisions 3.3). */
async function checkReleaser(deps: Deps, charge: ChargeRecord, releaser: Address): Promise<void> {
  const { environment, acceptedPayments: pairs } = charge
  const refused = await findRefusedPair(deps.sql, { environment, pairs })
  if (refused !== null) throw refusePair(refused, charge)
  const networks = pairs.map(({ network }) => network)
  const { clientOf, config } = deps
  await requirePlainReleaser({ clientOf, ...config }, { releaser, environment, networks })
}

async function getEarlier(deps: Deps, request: CreateChargeRequest, hash: Buffer): Promise<string> {
  const chargeId = await findEarlier(deps, request, hash)
  invariant(chargeId !== null, 'an insert met its idempotency key, and then there was none')
  return chargeId
}

/** @throws {AppError} `idempotency_key_reused` */
async function findEarlier(
  { sql }: Deps,
  { key, body }: CreateChargeRequest,
  hash: Buffer,
): Promise<string | null> {
  if (body.idempotencyKey === undefined) return null
  const earlier = await findEarlierRequest(sql, { tenant: key, idempotencyKey: body.idempotencyKey })
  if (earlier === null) return null
  if (!earlier.requestHash.equals(hash)) throw refuseReuse()
  return earlier.chargeId
}

async function replay(deps: Deps, { key }: CreateChargeRequest, id: string): Promise<CreatedCharge> {
  const { staleAfter } = deps.config
  const current = await findCharge(deps.sql, { tenant: key, id, staleAfter })
  invariant(current !== null, `charge ${id} was found by its idempotency key`)
  return { json: presentCurrentCharge(current, deps.config), isReplay: true }
}

function refusePair(
  { outcome, pairPosition }: RefusedPair,
  { acceptedPayments }: Pick<ChargeRecord, 'acceptedPayments'>,
): AppError {
  const index = pairPosition - 1
  const pair = acceptedPayments[index]
  invariant(pair !== undefined, `pair ${pairPosition} of ${acceptedPayments.length} was refused`)
  return new AppError(outcome, `${pairKey(pair)} ${REASONS[outcome]}`, {
    param: `acceptedPayments[${index}]`,
  })
}

const REASONS = {
  token_not_supported: 'is not accepted in this environment; see GET /v1/networks',
  rpc_unavailable: 'cannot be checked on its network now; try again',
  payment_temporarily_unavailable: 'is temporarily disabled; try again later or leave it out',
} as const

function refuseReuse(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'this idempotencyKey was used for a request with another body or payout address',
    { param: 'idempotencyKey' },
  )
}
