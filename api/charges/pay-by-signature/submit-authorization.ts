import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from 'koa'
import type { Sql } from '../../../shared/db/connect.ts'
import { findSignatureFacts } from '../../../shared/db/pay-by-signature/authorization-facts.ts'
import {
  type AuthorizationKey,
  type AuthorizationRequestPayload,
  type AuthorizationResult,
  findOpenAuthorizationRequest,
} from '../../../shared/db/pay-by-signature/authorization-requests.ts'
import {
  findAuthorization,
  type StoredAuthorization,
} from '../../../shared/db/pay-by-signature/authorization-row.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import {
  findSignatureProblem,
  type SignedAuthorization,
} from '../../../shared/domain/eip3009/authorization.ts'
import { authorizationFailure } from '../../../shared/domain/eip3009/authorization-status.ts'
import {
  parseAuthorization,
  type RawAuthorization,
} from '../../../shared/domain/eip3009/parse-authorization.ts'
import {
  createAuthorizationError,
  requireAuthorizable,
} from '../../../shared/domain/eip3009/require-authorizable.ts'
import { AppError, type ErrorCode, invariant } from '../../../shared/domain/errors.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { type Clock, systemClock } from '../../../shared/runtime/clock.ts'
import { getRequestId } from '../../http/middleware/request-id.ts'
import { requestDaemon, waitForDaemonResponse } from '../../http/request-daemon.ts'
import type { PlanDeps } from './plan-payment.ts'

/** A signed authorization for a charge, as submitted. */
export type Submission = {
  readonly ctx: Context
  readonly charge: Pick<ChargeRecord, 'id' | 'organizationId'>
  readonly payment: {
    readonly chainId: number
    /** Address of the token, in lowercase. */
    readonly token: Address
    readonly written: RawAuthorization
  }
  /**
   * Counts a new submission without obvious errors before it is sent to the daemon. Omitted if the caller has already
   * counted it.
   */
  readonly limit?: () => Promise<void>
}

/**
 * Result of a submission: `mined` (in a transaction of any sender), or `pending`, during which no other signature may
 * be requested.
 */
export type SubmissionResult = { readonly type: 'mined' | 'pending'; readonly txHash: Hex | null }

/** After this time a request is canceled if the daemon has not accepted its signature; otherwise it continues. */
const WAIT_MS = 30_000

/** Poll interval for a payment in progress. Each poll reads one row by its key. */
const POLL_MS = 250

/**
 * Has the daemon execute an authorization. Returns when it is mined, or after 30 s.
 *
 * **Submitting the same authorization again never pays twice.** It returns the current result, at any time and in any
 * state of the charge. If this function throws, no other party has received the authorization, and it is not stored.
 * There are two exceptions: an accepted authorization that ended without payment, and a contract's authorization that a
 * quorum of nodes has rejected.
 *
 * @throws {AppError} `authorization_invalid`, `authorization_used`, `insufficient_balance`, `payment_in_progress`,
 * `charge_not_payable`, `payment_temporarily_unavailable`, `signature_payment_unavailable`, `service_unavailable`, and
 * the errors of `limit`
 */
export async function submitAuthorization(
  {
    sql,
    config,
    waitMs = WAIT_MS,
    clock = systemClock,
  }: PlanDeps & { readonly waitMs?: number; readonly clock?: Clock },
  { ctx, charge, payment, limit }: Submission,
): Promise<SubmissionResult> {
  const deps = { sql, waitMs }
  const parsed = parseAuthorization(payment.written)
  if (!parsed.ok) throw createAuthorizationError(parsed.param, parsed.problem)
  const { signed } = parsed
  const lookup = { chargeId: charge.id, key: toKey(payment, signed), signed }
  try {
    const known = await findKnown(deps, lookup)
    if (known !== null) return known
    await requirePayable({ sql, config }, lookup, clock())
    await limit?.()
    return await requestExecution(deps, { ctx, charge, lookup })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // A simultaneous request might have submitted the same authorization first and left no amount due. Or this request
    // was rejected because that request is still open, although it has the same authorization.
    const same = await findKnown(deps, lookup)
    if (same !== null) return same
    if (!IN_PROGRESS.includes(error.code)) throw error
    throw new AppError('payment_in_progress', `a payment of ${charge.id} by signature is in progress`)
  }
}

/**
 * Error codes for a charge that has an authorization in progress or an open request to execute one. A charge can have
 * only one such request.
 */
const IN_PROGRESS: readonly ErrorCode[] = ['payment_in_progress', 'request_in_progress']

type WaitOptions = { readonly sql: Sql; readonly waitMs: number }

async function requestExecution(
  { sql, waitMs }: WaitOptions,
  { ctx, charge, lookup }: Pick<Submission, 'ctx' | 'charge'> & { readonly lookup: Lookup },
): Promise<SubmissionResult> {
  const { key, signed } = lookup
  const { chainId, token } = key
  const payload: AuthorizationRequestPayload = { chainId, token, ...toPayload(signed) }
  const request = { id: newId('req', Date.now()), kind: 'authorization', chargeId: charge.id } as const
  const { organizationId } = charge
  const daemonRequest = { ...request, organizationId, apiRequestId: getRequestId(ctx), payload }
  const response = await requestDaemon<Mined>(sql, daemonRequest, { waitMs, isWithdrawn: true })
  return response === null ? conclude(sql, lookup) : { type: 'mined', txHash: response.txHash }
}

/**
 * Returns the known state of an authorization whose request did not complete in time.
 *
 * @throws {AppError} `service_unavailable` if any process has canceled the request in the meantime, so that no row is
 * stored; otherwise the reason why the authorization has failed
 */
async function conclude(sql: Sql, { chargeId, key }: Omit<Lookup, 'signed'>): Promise<SubmissionResult> {
  // Keep this order: a request stays open until its authorization is stored, so one of the two is found.
  const open = await findOpenAuthorizationRequest(sql, { chargeId, key })
  const taken = await findAuthorization(sql, key)
  if (taken !== null) return toSubmitted(taken)
  if (open !== null) return { type: 'pending', txHash: null }
  throw new AppError(
    'service_unavailable',
    `the signature for ${chargeId} was not processed in time; submit it again`,
  )
}

type Mined = Extract<AuthorizationResult, { readonly outcome: 'mined' }>

type Lookup = {
  readonly chargeId: string
  readonly key: AuthorizationKey
  readonly signed: SignedAuthorization
}

function toKey({ chainId, token }: Submission['payment'], { from, nonce }: SignedAuthorization) {
  return { chainId, token, payer: from, nonce }
}

/**
 * Waits for and returns the result of an authorization that was submitted before. Returns `null` for a new
 * authorization.
 */
async function findKnown(deps: WaitOptions, lookup: Lookup): Promise<SubmissionResult | null> {
  const { sql, waitMs } = deps
  const { chargeId, key } = lookup
  // Keep this order, as in `conclude`: a request stays open until its authorization is stored, so one of the two is
  // found.
  const open = await findOpenAuthorizationRequest(sql, { chargeId, key })
  const taken = await findAuthorization(sql, key)
  if (taken !== null) return waitForTaken(deps, lookup, taken)
  if (open === null) return null
  const response = await waitForDaemonResponse<Mined>(sql, open, waitMs)
  return response === null ? conclude(sql, lookup) : { type: 'mined', txHash: response.txHash }
}

/**
 * Waits for the result of a stored authorization. For one nonce only one authorization is ever executed, so
 * authorizations that differ only in their validity share its result.
 */
async function waitForTaken(
  { sql, waitMs }: WaitOptions,
  { chargeId, key, signed }: Lookup,
  first: StoredAuthorization,
): Promise<SubmissionResult> {
  if (first.chargeId !== chargeId || first.valueAtomic !== signed.value)
    throw new AppError(
      'authorization_used',
      `nonce ${key.nonce} of ${key.payer} was used for another payment`,
    )
  const deadline = performance.now() + waitMs
  let taken: StoredAuthorization | null = first
  while (taken?.status === 'signed' && performance.now() < deadline) {
    await delay(POLL_MS)
    taken = await findAuthorization(sql, key)
  }
  // If there is no longer a row, the daemon has deleted the authorization, because a quorum of nodes rejected it.
  return taken === null ? conclude(sql, { chargeId, key }) : toSubmitted(taken)
}

function toSubmitted({ status, txHash }: StoredAuthorization): SubmissionResult {
  const failure = authorizationFailure(status)
  if (failure !== null) throw new AppError(failure.code, failure.message, { param: failure.param })
  return { type: status === 'signed' ? 'pending' : 'mined', txHash }
}

/**
 * Rejects obvious errors before they reach the daemon, which checks everything again and reads the chain. Only the
 * daemon can decide who signed: a contract may accept the signature of any key, and this process does not know which
 * payers are contracts.
 */
async function requirePayable(
  { sql, config }: PlanDeps,
  { chargeId, key, signed }: Lookup,
  now: Date,
): Promise<void> {
  const facts = await findSignatureFacts(sql, { chargeId, staleAfter: config.staleAfter })
  invariant(facts !== null, `charge ${chargeId} was found before, but has no signature facts`)
  const { chainId, token } = key
  const { domain } = requireAuthorizable(facts, { chainId, token, authorization: signed }, now)
  const terms = { chainId, token, domain, authorization: signed }
  const problem = await findSignatureProblem(terms, signed.signature)
  if (problem !== null) throw createAuthorizationError('signature', problem)
}

/** Returns the authorization in one canonical spelling, so that a repeated submission is recognized. */
function toPayload({ from, to, value, validAfter, validBefore, nonce, signature }: SignedAuthorization) {
  const numbers = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
  return { from, to, ...numbers, nonce, signature }
}
