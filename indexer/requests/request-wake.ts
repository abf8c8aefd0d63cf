import type { Sql } from '../../shared/db/connect.ts'
import { listen } from '../../shared/db/listen.ts'
import type { ChargeRequestKind } from '../../shared/db/requests/charge-requests.ts'
import type { Part } from '../../shared/runtime/lifecycle.ts'

/** The loops that do what the API asks, by what it asks. */
export type RequestWakes = Partial<Record<ChargeRequestKind, () => void>>

/**
 * Makes the part that wakes a loop as soon as the API asks for what it does: somebody is waiting.
 *
 * A lost notification costs latency: the loops look for themselves too.
 */
export function createRequestWake(sql: Sql, wakes: RequestWakes): Part {
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
      // The connection may be gone, and the listening with it.
      await listening?.stop().catch(() => undefined)
    },
  }
}
