import { setTimeout as delay } from 'node:timers/promises'
import { BaseError } from 'viem'
import { isRetryable, type Sql } from '../../shared/db/connect.ts'
import {
  type ClaimedRequest,
  claimRequestsInShares,
  INVALID_REQUEST_ERROR,
  type RequestError,
  respondToRequest,
} from '../../shared/db/requests/charge-requests.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type Payloads, parsePayload } from './parse-payload.ts'

/** Kinds of requests whose processing reads chains, and which may be processed twice. */
type SlowKind = 'check' | 'refund'

export type RequestWorkerDeps<Kind extends SlowKind, Result> = {
  readonly sql: Sql
  readonly log: Logger
  readonly kind: Kind
  /** Processes a request. Throws `AppError` for a rejection. */
  readonly fulfil: (request: ClaimedRequest, payload: Payloads[Kind]) => Promise<Result>
  readonly onFree: () => void
  /** Time after which a response is sent in any case, in milliseconds; below the 10 s that the API waits. */
  readonly timeoutMs?: number
}

/**
 * Maximum concurrent requests. A request that timed out counts until its processing ends, because it still reads nodes.
 */
const MAX_AT_ONCE = 50
/** Maximum concurrent requests of one organization, so that it cannot occupy all slots with a chain that hangs. */
const MAX_OF_ORGANIZATION = 10
const TIMEOUT_MS = 8_000
/** Time after which another worker may claim a started request without a response. */
const LEASE_SECONDS = 15

/**
 * Creates a worker that processes the requests of a kind in slots, so that a silent chain delays only the requests
 * about it. The worker may be killed at any point; another worker then repeats the request.
 */
export function createRequestWorker<Kind extends SlowKind, Result>(deps: RequestWorkerDeps<Kind, Result>) {
  const slots = createSlots()
  const answers = new Set<Promise<void>>()

  function begin(request: ClaimedRequest): void {
    slots.take(request)
    const working = fulfil(deps, request)
    const answer = respond(deps, request, working).finally(() => answers.delete(answer))
    answers.add(answer)
    void Promise.allSettled([working, answer]).then(() => {
      slots.free(request)
      deps.onFree()
    })
  }

  /** Starts a request in each free slot, and does not wait for the requests to end. */
  async function turn(): Promise<'idle'> {
    const limit = MAX_AT_ONCE - slots.count()
    if (limit === 0) return 'idle'
    const query = { kind: deps.kind, limit, leaseSeconds: LEASE_SECONDS }
    const shares = { mostOfOrganization: MAX_OF_ORGANIZATION, inProgress: slots.byOrganization }
    for (const request of await claimRequestsInShares(deps.sql, query, shares)) begin(request)
    return 'idle'
  }

  return {
    turn,
    /** Resolves when every started request has a response. */
    settle: async () => {
      await Promise.all(answers)
    },
  }
}

function createSlots() {
  const byOrganization = new Map<string, number>()
  const add = (id: string, change: 1 | -1) => {
    const count = (byOrganization.get(id) ?? 0) + change
    if (count === 0) byOrganization.delete(id)
    else byOrganization.set(id, count)
  }
  return {
    byOrganization: byOrganization as ReadonlyMap<string, number>,
    count: () => [...byOrganization.values()].reduce((sum, count) => sum + count, 0),
    take: ({ organizationId }: ClaimedRequest) => add(organizationId, 1),
    free: ({ organizationId }: ClaimedRequest) => add(organizationId, -1),
  }
}

/** Returns the result or rejection of a request. Throws any other error. */
async function fulfil<Kind extends SlowKind, Result>(
  deps: RequestWorkerDeps<Kind, Result>,
  request: ClaimedRequest,
): Promise<Result | RequestError> {
  const payload = parsePayload(deps.kind, request.payload)
  if (payload === null || !request.isOfOrganization) {
    deps.log.error({ msg: 'Rejected an invalid request', ...fieldsOf(deps, request) })
    return INVALID_REQUEST_ERROR
  }
  try {
    return await deps.fulfil(request, payload)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    if (refusal.code === 'rpc_unavailable')
      deps.log.warn({ msg: 'Could not read a chain for a request', ...fieldsOf(deps, request), error })
    return refusal
  }
}

/** Never throws. A request without a response is claimed again when its lease ends. */
async function respond<Kind extends SlowKind, Result>(
  deps: RequestWorkerDeps<Kind, Result>,
  request: ClaimedRequest,
  working: Promise<Result | RequestError>,
): Promise<void> {
  const { sql, log } = deps
  try {
    await respondToRequest(sql, request.id, await withinTime(deps, working))
    log.info({ msg: 'Completed a request', ...fieldsOf(deps, request) })
  } catch (error) {
    const fields = { ...fieldsOf(deps, request), error }
    if (isRetryable(error)) return log.warn({ msg: 'Could not complete a request', ...fields })
    log.error({ msg: 'A request failed', ...fields })
    const refusal: RequestError = {
      outcome: 'refused',
      code: 'internal_error',
      message: 'the request failed',
    }
    await respondToRequest(sql, request.id, refusal).catch((cause: unknown) => {
      log.warn({ msg: 'Could not complete a request', ...fields, error: cause })
    })
  }
}

function fieldsOf(
  { kind }: { readonly kind: SlowKind },
  { id, chargeId, apiRequestId }: ClaimedRequest,
): Readonly<Record<string, unknown>> {
  return { kind, request_id: id, api_request_id: apiRequestId, charge_id: chargeId }
}

/**
 * Returns the rejection for an error, without the node's own text, because that text may contain the URL with its key.
 * Returns `null` if the error is neither a rejection nor a failure to read a chain.
 */
function refusalOf(error: unknown): RequestError | null {
  if (error instanceof AppError) {
    const { code, message, param } = error
    return { outcome: 'refused', code, message, ...(param !== undefined && { param }) }
  }
  const message = 'a network of the charge cannot be read at the moment; try again'
  return error instanceof BaseError ? { outcome: 'refused', code: 'rpc_unavailable', message } : null
}

/** Returns the result, or a rejection once the timeout has passed. The request itself continues. */
async function withinTime<Result>(
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number },
  working: Promise<Result | RequestError>,
): Promise<Result | RequestError> {
  const over = new AbortController()
  const message = `a network of the charge did not respond within ${timeoutMs / 1000} s; try again`
  const refusal: RequestError = { outcome: 'refused', code: 'rpc_unavailable', message }
  try {
    return await Promise.race([working, delay(timeoutMs, refusal, { signal: over.signal })])
  } finally {
    over.abort()
  }
}
