import type { Sql } from '../../shared/db/connect.ts'
import { deleteOldRateLimits } from '../../shared/db/organizations/rate-limits.ts'
import { deleteCompletedRequests } from '../../shared/db/requests/charge-requests.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'

type Deps = { readonly sql: Sql; readonly log: Logger }

const INTERVAL_MS = 3_600_000
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
export function createRequestDeletion({ sql, log }: Deps): Loop {
  return createLoop({
    name: 'deletion of old requests',
    intervalMs: INTERVAL_MS,
    turn: async () => {
      await deleteOldRateLimits(sql, { keptSeconds: RATE_LIMITS_KEPT_SECONDS })
      const request = { keptSeconds: REQUESTS_KEPT_SECONDS, limit: BATCH }
      return (await deleteCompletedRequests(sql, request)) === BATCH ? 'more' : 'idle'
    },
    log,
  })
}
