import { endUnservedAuthorizationRequests } from '../../shared/db/authorizations/authorization-requests.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { deleteOldRateLimits } from '../../shared/db/organizations/rate-limits.ts'
import { deleteAnsweredRequests } from '../../shared/db/requests/charge-requests.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'

const INTERVAL_MS = 3_600_000
/** A signature that nobody carries out stands in the way of another one for its charge. */
const SIGNATURES_INTERVAL_MS = 60_000
/** The daemon of a chain that serves them answers within a minute. */
const SIGNATURES_KEPT_SECONDS = 300
/** Nobody waits for an answer longer than seconds; for a day a person can look what was asked. */
const REQUESTS_KEPT_SECONDS = 86_400
/** The longest window is a minute. */
const RATE_LIMITS_KEPT_SECONDS = 3_600
/** Rows of one statement: some milliseconds. */
const BATCH = 1_000

/** Makes the loop that forgets requests long answered and windows long over: tables that only grow fill a disk. */
export function createForgetting({ sql, log }: { readonly sql: Sql; readonly log: Logger }): Loop {
  return createLoop({
    name: 'forgetting',
    intervalMs: INTERVAL_MS,
    turn: async () => {
      await deleteOldRateLimits(sql, { keptSeconds: RATE_LIMITS_KEPT_SECONDS })
      const request = { keptSeconds: REQUESTS_KEPT_SECONDS, limit: BATCH }
      return (await deleteAnsweredRequests(sql, request)) === BATCH ? 'more' : 'idle'
    },
    log,
  })
}

/** Makes the loop that ends requests for signatures on chains where no daemon serves them, whatever this one does. */
export function createSignatureForgetting({ sql, log }: { readonly sql: Sql; readonly log: Logger }): Loop {
  return createLoop({
    name: 'signatures that nobody serves',
    intervalMs: SIGNATURES_INTERVAL_MS,
    turn: async () => {
      const ended = await endUnservedAuthorizationRequests(sql, SIGNATURES_KEPT_SECONDS)
      if (ended > 0) log.warn({ msg: 'Nobody has seen to signatures', count: ended })
      return 'idle'
    },
    log,
  })
}
