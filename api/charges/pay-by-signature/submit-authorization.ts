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
   * Counts a new submission without obvious errors against a limit. Omitted if the caller has already counted the
   * submission.
   */
  readonly limit?: () => Promise<void>
}

/**
 * Result of a submission: `mined` (in a transaction of any sender), or `pending`, during which no other signature may
 * be requested.
 */
export type SubmissionResult = { readonly type: 'mined' | 'pending'; readonly txHash: Hex | null }

/** Maximum wait. A request whose signature the daemon has not accepted by then is canceled; other requests continue. */
const WAIT_MS = 30_000

/** Poll interval for a payment in progress. Each poll reads one row by its key. */
const POLL_MS = 250

/**
 * Has the daemon execute an authorization. Returns when it is mined, or after 30 s.
 *
 * **Submitting the same authorization again never pays twice.** A repeated submission returns the current result, in
 * any state of the charge. If this function throws, the authorization is not stored and no other party has received it,
 * with two exceptions: an accepted authorization that ended without payment, and a contract's authorization that a
 * quorum of nodes rejected.
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
    // The error might be caused by a simultaneous request with the same authorization, which is still open or has left
    // no amount due. Then this request has the same result.
    const same = await findKnown(deps, lookup)
    if (same !== null) return same
    if (!IN_PROGRESS.includes(error.code)) throw error
    throw new AppError('payment_in_progress', `a payment of ${charge.id} by signature is in progress`)
  }
}

/**
 * Error codes for a charge with an authorization in progress, or with an open request to execute an authorization. A
 * charge can have only one such request.
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
 * Returns the current result of an authorization whose request did not complete in time.
 *
 * @throws {AppError} `service_unavailable` if the request was canceled, so that no authorization is stored; otherwise
 * the reason why the authorization has failed
 */
async function conclude(sql: Sql, { chargeId, key }: Omit<Lookup, 'signed'>): Promise<SubmissionResult> {
  // Keep this order: a request stays open until its authorization is stored, so one of the two queries finds it.
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

/** Waits for the result of an authorization that was submitted before. Returns `null` for a new authorization. */
async function findKnown(deps: WaitOptions, lookup: Lookup): Promise<SubmissionResult | null> {
  const { sql, waitMs } = deps
  const { chargeId, key } = lookup
  // Keep this order, for the reason given in `conclude`.
  const open = await findOpenAuthorizationRequest(sql, { chargeId, key })
  const taken = await findAuthorization(sql, key)
  if (taken !== null) return waitForTaken(deps, lookup, taken)
  if (open === null) return null
  const response = await waitForDaemonResponse<Mined>(sql, open, waitMs)
  return response === null ? conclude(sql, lookup) : { type: 'mined', txHash: response.txHash }
}

/**
 * Waits for the result of a stored authorization. Only one authorization per nonce is ever executed, so authorizations
 * of the same payment that differ in validity or signature have the same result.
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
  // The daemon deletes an authorization that a quorum of nodes rejects.
  return taken === null ? conclude(sql, { chargeId, key }) : toSubmitted(taken)
}

function toSubmitted({ status, txHash }: StoredAuthorization): SubmissionResult {
  const failure = authorizationFailure(status)
  if (failure !== null) throw new AppError(failure.code, failure.message, { param: failure.param })
  return { type: status === 'signed' ? 'pending' : 'mined', txHash }
}

/**
 * Rejects obvious errors before they reach the daemon, which checks everything again. Only the daemon can decide who
 * signed, because it reads the chain: a contract may accept the signature of any key.
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

/** Returns the authorization in canonical form, by which a repeated submission is recognized. */
function toPayload({ from, to, value, validAfter, validBefore, nonce, signature }: SignedAuthorization) {
  const numbers = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
  return { from, to, ...numbers, nonce, signature }
}
