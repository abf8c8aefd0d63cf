import type { Sql } from '../../shared/db/connect.ts'
import { listen } from '../../shared/db/listen.ts'
import type { ChargeRequestKind } from '../../shared/db/requests/charge-requests.ts'

/** The function that wakes the loop for each kind of request. */
export type RequestLoops = Partial<Record<ChargeRequestKind, () => void>>

/**
 * Creates the part of the daemon that wakes the loop for a request as soon as the API inserts the request, because a
 * client is waiting.
 *
 * A lost notification costs only latency, because the loops also poll.
 */
export function createRequestListener(sql: Sql, wakes: RequestLoops) {
  let listening: { readonly stop: () => Promise<void> } | null = null
  const wakeAll = (): void => Object.values(wakes).forEach((wake) => wake())
  return {
    name: 'requests',
    start: async () => {
      listening ??= await listen(sql, 'svc_requests', {
        onNotification: (kind) => wakes[kind as ChargeRequestKind]?.(),
        onListening: wakeAll,
      })
    },
    stop: async () => {
      // The connection may already be closed, which also ends the subscription.
      await listening?.stop().catch(() => undefined)
    },
  }
}
