import type { Sql } from '../../shared/db/connect.ts'
import { expireUnservedAuthorizationRequests } from '../../shared/db/pay-by-signature/authorization-requests.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'

type Deps = { readonly sql: Sql; readonly log: Logger }

/**
 * Interval at which unserved signature requests expire. Short, because until then the charge accepts no other
 * signature.
 */
const INTERVAL_MS = 60_000
/** Age at which an unserved signature request expires. A daemon that serves the chain responds within a minute. */
const KEPT_SECONDS = 300

/** Creates the loop that expires signature requests on chains that no daemon serves. It runs in every daemon. */
export function createUnservedSignatureExpiry({ sql, log }: Deps): Loop {
  return createLoop({
    name: 'signatures that no daemon serves',
    intervalMs: INTERVAL_MS,
    turn: async () => {
      const ended = await expireUnservedAuthorizationRequests(sql, KEPT_SECONDS)
      if (ended > 0) log.warn({ msg: 'Expired signature requests that no daemon serves', count: ended })
      return 'idle'
    },
    log,
  })
}
