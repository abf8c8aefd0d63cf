import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../../shared/db/connect.ts'
import {
  cancelRequest,
  findRequestResponse,
  insertChargeRequest,
  type NewChargeRequest,
  type RequestError,
} from '../../shared/db/requests/charge-requests.ts'
import { AppError } from '../../shared/domain/errors.ts'

type WaitOptions = {
  /** Maximum time to wait for the daemon's response. */
  readonly waitMs: number
  /** Whether to cancel a request that the daemon has not started within `waitMs`. Otherwise it stays open. */
  readonly isWithdrawn: boolean
  /** Maximum time to wait until an open request of the same kind ends. Default: 0. */
  readonly waitForEarlierMs?: number
}

/** Options for requests for which the daemon reads at most one chain. */
export const DAEMON_TIMEOUT: WaitOptions = { waitMs: 10_000, isWithdrawn: true }

/** Options for a merchant's check, which must not fail because a visitor's check of the same charge is in progress. */
export const AFTER_EARLIER: WaitOptions = { ...DAEMON_TIMEOUT, waitForEarlierMs: 5_000 }

/**
 * Poll interval; it grows with the time waited. Requests that read a chain complete immediately, requests that wait for
 * a block take seconds. Each poll reads one row by its key. A wait of half a minute takes about 140 polls.
 */
const POLL_MS = { first: 50, max: 250, shareOfWaited: 0.1 }

/**
 * Sends a request about a charge to the daemon, and returns the daemon's response.
 *
 * @returns the response; `null` if none arrived in time and the request was not canceled. The charge then shows the
 * outcome later.
 * @throws {AppError} `request_in_progress` if a request of the same kind is open; `service_unavailable` if the request
 * was canceled; otherwise the daemon's rejection
 */
export async function requestDaemon<Done extends { readonly outcome: string }>(
  sql: Sql,
  request: NewChargeRequest,
  { waitMs, isWithdrawn, waitForEarlierMs = 0 }: WaitOptions,
): Promise<Done | null> {
  const { id, kind, chargeId } = request
  if (!(await insertWithin(sql, request, waitForEarlierMs))) {
    const action = kind.replace('_', ' ')
    throw new AppError('request_in_progress', `an earlier ${action} of ${chargeId} is in progress`)
  }
  const response = await waitForDaemonResponse<Done>(sql, id, waitMs)
  if (response === null && isWithdrawn && (await cancelRequest(sql, id))) {
    const message = `the request was not processed within ${waitMs / 1000} s; try again`
    throw new AppError('service_unavailable', message)
  }
  return response
}

/** Inserts a request once no request of its kind is open for the charge; false if `waitMs` passes before. */
async function insertWithin(sql: Sql, request: NewChargeRequest, waitMs: number): Promise<boolean> {
  const startedAtMs = performance.now()
  while (!(await insertChargeRequest(sql, request))) {
    if (performance.now() >= startedAtMs + waitMs) return false
    await delay(POLL_MS.first)
  }
  return true
}

/**
 * Waits for the response to a request that any process has inserted. Returns `null` if none arrives within `waitMs`.
 *
 * @throws {AppError} the daemon's rejection
 */
export async function waitForDaemonResponse<Done extends { readonly outcome: string }>(
  sql: Sql,
  id: string,
  waitMs: number,
): Promise<Done | null> {
  const response = await pollResponse<Done>(sql, id, waitMs)
  if (isRefusal(response)) throw new AppError(response.code, response.message, { param: response.param })
  return response
}

async function pollResponse<Done>(sql: Sql, id: string, waitMs: number): Promise<Done | RequestError | null> {
  const startedAt = performance.now()
  while (performance.now() < startedAt + waitMs) {
    const response = await findRequestResponse<Done | RequestError>(sql, id)
    if (response !== null) return response
    const waited = performance.now() - startedAt
    await delay(Math.min(POLL_MS.max, Math.max(POLL_MS.first, POLL_MS.shareOfWaited * waited)))
  }
  return null
}

function isRefusal(response: { readonly outcome: string } | null): response is RequestError {
  return response?.outcome === 'refused'
}
