import type { Sql } from '../../shared/db/connect.ts'
import { deleteOldRateLimits } from '../../shared/db/organizations/rate-limits.ts'
import { expireUnservedAuthorizationRequests } from '../../shared/db/pay-by-signature/authorization-requests.ts'
import { deleteCompletedRequests } from '../../shared/db/requests/charge-requests.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'

type Deps = { readonly sql: Sql; readonly log: Logger }

const INTERVAL_MS = 3_600_000
/**
 * Interval at which unserved signature requests expire. Short, because until then the charge accepts no other
 * signature.
 */
const SIGNATURES_INTERVAL_MS = 60_000
/** Age at which an unserved signature request expires. A daemon that serves the chain responds within a minute. */
const SIGNATURES_KEPT_SECONDS = 300
/**
 * Retention of completed requests. A client waits only seconds for its response, but an operator might inspect the
 * request later.
 */
const REQUESTS_KEPT_SECONDS = 86_400
/** Retention of rate limit windows. The longest window is a minute. */
const RATE_LIMITS_KEPT_SECONDS = 3_600
/** Maximum requests deleted per statement, so that a statement takes a few milliseconds. */
const BATCH = 1_000

/** Creates the loop that deletes completed requests and expired rate limit windows. */
export function createRetentionLoop({ sql, log }: Deps): Loop {
  return createLoop({
    name: 'forgetting',
    intervalMs: INTERVAL_MS,
    turn: async () => {
      await deleteOldRateLimits(sql, { keptSeconds: RATE_LIMITS_KEPT_SECONDS })
      const request = { keptSeconds: REQUESTS_KEPT_SECONDS, limit: BATCH }
      return (await deleteCompletedRequests(sql, request)) === BATCH ? 'more' : 'idle'
    },
    log,
  })
}

/** Creates the loop that expires signature requests on chains that no daemon serves. It runs in every daemon. */
export function createUnservedSignatureExpiry({ sql, log }: Deps): Loop {
  return createLoop({
    name: 'signatures that no daemon serves',
    intervalMs: SIGNATURES_INTERVAL_MS,
    turn: async () => {
      const ended = await expireUnservedAuthorizationRequests(sql, SIGNATURES_KEPT_SECONDS)
      if (ended > 0) log.warn({ msg: 'Expired signature requests that no daemon serves', count: ended })
      return 'idle'
    },
    log,
  })
}
