import { setTimeout as delay } from 'node:timers/promises'
import { BaseError } from 'viem'
import { isRetryable } from '../../shared/db/connect.ts'
import {
  answerRequest,
  FORGED,
  type Refusal,
  type TakenRequest,
  takeChargeRequests,
} from '../../shared/db/requests/charge-requests.ts'
import { type CheckAnswer, findCheckedCharge } from '../../shared/db/requests/check-requests.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { readPayload } from '../requests/read-payload.ts'
import { type CheckDeps, checkCharge } from './check-charge.ts'

/** What the worker works with. */
export type CheckWorkerDeps = CheckDeps & {
  /** Gives a charge its turn: what a check recorded is credited before it is answered. */
  readonly takeTurn: (chargeId: string) => Promise<void>
  /** Called when there is room for another check. */
  readonly onFree: () => void
  /** When a check is given up; below the 10 s that the API waits. */
  readonly timeoutMs?: number
}

/** The worker that does what `POST /v1/charges/{id}/check` asks for. */
export type CheckWorker = {
  /** Begins the checks that are asked for, as many as there is room for, and does not wait for their end. */
  readonly turn: () => Promise<'more' | 'idle'>
  /** Resolves when every check that was begun has been answered. */
  readonly settle: () => Promise<void>
}

/** A check holds its place until it ends, though it was answered after 8 s: of what still reads nodes, there are no more. */
const MAX_AT_ONCE = 50
const TIMEOUT_MS = 8_000
/** A check that was begun so long ago has lost its daemon. */
const LEASE_SECONDS = 15

/** Makes the worker; it may be killed anywhere, and another does the check again. */
export function createCheckWorker(deps: CheckWorkerDeps): CheckWorker {
  let underWay = 0
  const answers = new Set<Promise<void>>()

  function begin(request: TakenRequest): void {
    underWay += 1
    const checking = check(deps, request)
    const answer = fulfil(deps, request, checking).finally(() => answers.delete(answer))
    answers.add(answer)
    void Promise.allSettled([checking, answer]).then(() => {
      underWay -= 1
      deps.onFree()
    })
  }

  async function turn(): Promise<'more' | 'idle'> {
    const limit = MAX_AT_ONCE - underWay
    if (limit === 0) return 'idle'
    const query = { kind: 'check', limit, leaseSeconds: LEASE_SECONDS } as const
    for (const request of await takeChargeRequests(deps.sql, query)) begin(request)
    return 'idle'
  }

  return {
    turn,
    settle: async () => {
      await Promise.all(answers)
    },
  }
}

/** Never throws: a request whose answer cannot be written is taken again when its lease is over. */
async function fulfil(
  deps: CheckWorkerDeps,
  request: TakenRequest,
  checking: Promise<CheckAnswer | Refusal>,
): Promise<void> {
  const { sql, log } = deps
  const { id } = request
  try {
    await answerRequest(sql, id, await withinTime(deps, checking))
    log.info({ msg: 'Answered a check', ...fieldsOf(request) })
  } catch (error) {
    const fields = { ...fieldsOf(request), error }
    if (isRetryable(error)) return log.warn({ msg: 'Could not answer a check', ...fields })
    log.error({ msg: 'A check failed', ...fields })
    const refusal: Refusal = { outcome: 'refused', code: 'internal_error', message: 'the check failed' }
    await answerRequest(sql, id, refusal).catch((cause: unknown) => {
      log.warn({ msg: 'Could not answer a check', ...fields, error: cause })
    })
  }
}

async function check(deps: CheckWorkerDeps, request: TakenRequest): Promise<CheckAnswer | Refusal> {
  const { chargeId, isOfOrganization, payload } = request
  const asked = readPayload('check', payload)
  if (asked === null || !isOfOrganization) {
    deps.log.error({ msg: 'Refused a forged check', ...fieldsOf(request) })
    return FORGED
  }
  const charge = await findCheckedCharge(deps.sql, chargeId)
  invariant(charge !== null, `the request's charge ${chargeId} is gone`)
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

function fieldsOf({ id, chargeId, apiRequestId }: TakenRequest) {
  return { request_id: id, api_request_id: apiRequestId, charge_id: chargeId }
}

/** The charge has its turn all the same, a little later, if this one fails. */
async function takeTurn({ takeTurn: take, log }: CheckWorkerDeps, chargeId: string): Promise<void> {
  await take(chargeId).catch((error: unknown) => {
    log.warn({ msg: 'A checked charge could not take its turn', charge_id: chargeId, error })
  })
}

/** What a node said stays with us: it may name the URL, and the URL may carry a key. */
function refusalOf(error: unknown): Refusal | null {
  const code = 'rpc_unavailable'
  if (error instanceof AppError && error.code === code)
    return { outcome: 'refused', code, message: error.message }
  return error instanceof BaseError
    ? { outcome: 'refused', code, message: 'a network of the charge cannot be read at the moment; try again' }
    : null
}

/** What is found after the time is over is recorded all the same. */
async function withinTime(
  { timeoutMs = TIMEOUT_MS }: CheckWorkerDeps,
  checking: Promise<CheckAnswer | Refusal>,
): Promise<CheckAnswer | Refusal> {
  const over = new AbortController()
  const message = `a network of the charge did not answer within ${timeoutMs / 1000} s; try again`
  const refusal: Refusal = { outcome: 'refused', code: 'rpc_unavailable', message }
  try {
    return await Promise.race([checking, delay(timeoutMs, refusal, { signal: over.signal })])
  } finally {
    over.abort()
  }
}
