import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../shared/db/connect.ts'
import {
  findRequestAnswer,
  insertChargeRequest,
  type NewChargeRequest,
  type Refusal,
  withdrawRequest,
} from '../shared/db/requests/charge-requests.ts'
import { AppError } from '../shared/domain/errors.ts'

type Patience = {
  /** The daemon answers within this, or the caller hears that it did not. */
  readonly waitMs: number
  /** Whether a request that the daemon has not begun by then is taken back; else it stays open. */
  readonly isWithdrawn: boolean
  /** How long to wait for an open request of the same kind to end. Default: not at all. */
  readonly waitForEarlierMs?: number
}

/** What answers a request whose daemon reads a chain at most (design, section 6). */
export const SOON: Patience = { waitMs: 10_000, isWithdrawn: true }

/** A stranger's check on the page of a charge, which reads the same chains, must not refuse the check of its merchant. */
export const AFTER_EARLIER: Patience = { ...SOON, waitForEarlierMs: 5_000 }

/**
 * The answer to somebody waiting is looked for this often, and the longer he waits the more seldom: what reads a chain is
 * answered at once, what waits for a block in seconds. Each look reads one row by its key; of half a minute some 140.
 */
const POLL_MS = { first: 50, most: 250, ofWaited: 0.1 }

/**
 * Hands a request about a charge to the daemon, and returns its answer.
 *
 * @returns `null` if the daemon has begun and not answered in time, or the request stays open: the charge as it then
 * stands tells what became of it
 * @throws {AppError} `request_in_progress` if one of its kind is open; `service_unavailable` if it was withdrawn; or
 * why the daemon refused
 */
export async function askDaemon<Done extends { readonly outcome: string }>(
  sql: Sql,
  request: NewChargeRequest,
  { waitMs, isWithdrawn, waitForEarlierMs = 0 }: Patience,
): Promise<Done | null> {
  const { id, kind, chargeId } = request
  if (!(await insertWithin(sql, request, waitForEarlierMs))) {
    const what = kind.replace('_', ' ')
    throw new AppError('request_in_progress', `an earlier ${what} of ${chargeId} is under way`)
  }
  const answer = await waitForDaemon<Done>(sql, id, waitMs)
  if (answer === null && isWithdrawn && (await withdrawRequest(sql, id))) {
    throw new AppError('service_unavailable', `nobody could see to it within ${waitMs / 1000} s; try again`)
  }
  return answer
}

/** Inserts a request as soon as none of its kind is open for the charge. Returns false if that takes longer. */
async function insertWithin(sql: Sql, request: NewChargeRequest, waitMs: number): Promise<boolean> {
  const startedAtMs = performance.now()
  while (!(await insertChargeRequest(sql, request))) {
    if (performance.now() >= startedAtMs + waitMs) return false
    await delay(POLL_MS.first)
  }
  return true
}

/**
 * Waits for the answer to a request that was made, by whoever; `null` if there is none within this time.
 *
 * @throws {AppError} why the daemon refused
 */
export async function waitForDaemon<Done extends { readonly outcome: string }>(
  sql: Sql,
  id: string,
  waitMs: number,
): Promise<Done | null> {
  const answer = await waitForAnswer<Done>(sql, id, waitMs)
  if (isRefusal(answer)) throw new AppError(answer.code, answer.message, { param: answer.param })
  return answer
}

async function waitForAnswer<Done>(sql: Sql, id: string, waitMs: number): Promise<Done | Refusal | null> {
  const startedAt = performance.now()
  while (performance.now() < startedAt + waitMs) {
    const answer = await findRequestAnswer<Done | Refusal>(sql, id)
    if (answer !== null) return answer
    const waited = performance.now() - startedAt
    await delay(Math.min(POLL_MS.most, Math.max(POLL_MS.first, POLL_MS.ofWaited * waited)))
  }
  return null
}

function isRefusal(answer: { readonly outcome: string } | null): answer is Refusal {
  return answer?.outcome === 'refused'
}
