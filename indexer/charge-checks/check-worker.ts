import { setTimeout as delay } from 'node:timers/promises'
import { BaseError } from 'viem'
import { isRetryable } from '../../shared/db/connect.ts'
import {
  type ClaimedRequest,
  claimChargeRequests,
  INVALID_REQUEST_ERROR,
  type RequestError,
  respondToRequest,
} from '../../shared/db/requests/charge-requests.ts'
import { type CheckResult, findCheckedCharge } from '../../shared/db/requests/check-requests.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { parsePayload } from '../requests/parse-payload.ts'
import { type CheckDeps, checkCharge } from './check-charge.ts'

/** Dependencies of the worker. */
export type CheckWorkerDeps = CheckDeps & {
  /** Gives a charge its turn, so that recorded payments are credited before the response is sent. */
  readonly takeTurn: (chargeId: string) => Promise<void>
  /** Called when there is room for another check. */
  readonly onFree: () => void
  /** Timeout of a check; below the 10 s that the API waits. */
  readonly timeoutMs?: number
}

/**
 * Maximum concurrent checks. A check counts until it ends, even after its response at 8 s, so this also limits the
 * checks that still read nodes.
 */
const MAX_AT_ONCE = 50
const TIMEOUT_MS = 8_000
/** A check that was started longer ago than this has lost its daemon. */
const LEASE_SECONDS = 15

/**
 * Creates the worker that processes requests from `POST /v1/charges/{id}/check`. It may be killed at any point; another
 * worker then repeats the check.
 */
export function createCheckWorker(deps: CheckWorkerDeps) {
  let underWay = 0
  const answers = new Set<Promise<void>>()

  function begin(request: ClaimedRequest): void {
    underWay += 1
    const checking = check(deps, request)
    const answer = fulfil(deps, request, checking).finally(() => answers.delete(answer))
    answers.add(answer)
    void Promise.allSettled([checking, answer]).then(() => {
      underWay -= 1
      deps.onFree()
    })
  }

  /** Starts as many requested checks as there is room for, and does not wait for them to end. */
  async function turn(): Promise<'idle'> {
    const limit = MAX_AT_ONCE - underWay
    if (limit === 0) return 'idle'
    const query = { kind: 'check', limit, leaseSeconds: LEASE_SECONDS } as const
    for (const request of await claimChargeRequests(deps.sql, query)) begin(request)
    return 'idle'
  }

  return {
    turn,
    /** Resolves when every started check has its response. */
    settle: async () => {
      await Promise.all(answers)
    },
  }
}

/** Responds to a request. Never throws: a request without a response is claimed again when its lease ends. */
async function fulfil(
  deps: CheckWorkerDeps,
  request: ClaimedRequest,
  checking: Promise<CheckResult | RequestError>,
): Promise<void> {
  const { sql, log } = deps
  const { id } = request
  try {
    await respondToRequest(sql, id, await withinTime(deps, checking))
    log.info({ msg: 'Completed a check', ...fieldsOf(request) })
  } catch (error) {
    const fields = { ...fieldsOf(request), error }
    if (isRetryable(error)) return log.warn({ msg: 'Could not complete a check', ...fields })
    log.error({ msg: 'A check failed', ...fields })
    const refusal: RequestError = { outcome: 'refused', code: 'internal_error', message: 'the check failed' }
    await respondToRequest(sql, id, refusal).catch((cause: unknown) => {
      log.warn({ msg: 'Could not complete a check', ...fields, error: cause })
    })
  }
}

async function check(deps: CheckWorkerDeps, request: ClaimedRequest): Promise<CheckResult | RequestError> {
  const { chargeId, isOfOrganization, payload } = request
  const asked = parsePayload('check', payload)
  if (asked === null || !isOfOrganization) {
    deps.log.error({ msg: 'Rejected an invalid check', ...fieldsOf(request) })
    return INVALID_REQUEST_ERROR
  }
  const charge = await findCheckedCharge(deps.sql, chargeId)
  invariant(charge !== null, `the request's charge ${chargeId} does not exist`)
  try {
    return await checkCharge(deps, charge, asked.hint)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    deps.log.warn({ msg: 'Could not read a chain for a check', charge_id: chargeId, error })
    return refusal
  } finally {
    await takeTurn(deps, chargeId)
  }
}

function fieldsOf({ id, chargeId, apiRequestId }: ClaimedRequest) {
  return { request_id: id, api_request_id: apiRequestId, charge_id: chargeId }
}

/** Gives the charge its turn. If that fails, the charge gets its turn slightly later anyway. */
async function takeTurn({ takeTurn: take, log }: CheckWorkerDeps, chargeId: string): Promise<void> {
  await take(chargeId).catch((error: unknown) => {
    log.warn({ msg: 'Charge turn failed after a check', charge_id: chargeId, error })
  })
}

/**
 * Returns the rejection for an error, without the node's own text: it may contain the URL, and the URL may contain a
 * key. Returns `null` for an error that is not about reading a chain.
 */
function refusalOf(error: unknown): RequestError | null {
  const code = 'rpc_unavailable'
  if (error instanceof AppError && error.code === code)
    return { outcome: 'refused', code, message: error.message }
  return error instanceof BaseError
    ? { outcome: 'refused', code, message: 'a network of the charge cannot be read at the moment; try again' }
    : null
}

/** Returns the result, or a rejection after the timeout. Payments found after the timeout are still recorded. */
async function withinTime(
  { timeoutMs = TIMEOUT_MS }: CheckWorkerDeps,
  checking: Promise<CheckResult | RequestError>,
): Promise<CheckResult | RequestError> {
  const over = new AbortController()
  const message = `a network of the charge did not respond within ${timeoutMs / 1000} s; try again`
  const refusal: RequestError = { outcome: 'refused', code: 'rpc_unavailable', message }
  try {
    return await Promise.race([checking, delay(timeoutMs, refusal, { signal: over.signal })])
  } finally {
    over.abort()
  }
}
