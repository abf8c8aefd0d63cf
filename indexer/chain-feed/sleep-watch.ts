import { listSleeping, requestWake } from '../../shared/db/chain-facts/daemon/sleeping.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { listen } from '../../shared/db/listen.ts'
import type { NetworkSleep } from '../../shared/runtime/chain-loop.ts'
import type { LifecyclePart } from '../../shared/runtime/lifecycle.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'

/** Poll interval: a network whose notification is lost wakes at most this much later. */
const POLL = { intervalMs: 1_000, maxBackoffMs: 5_000 }

/**
 * Creates the watch over sleeping networks, with one query per second for all networks. It wakes the loops of a network
 * after a notification, or when a poll shows that the network must wake.
 *
 * Creating a charge sends the notification even if the network's row was locked and could not be marked. The watch then
 * marks the row. Any role can send a notification, which can only wake a network.
 *
 * A network counts as awake before the first poll, and if it is not in the database.
 */
export function createSleepWatch({ sql, log }: { readonly sql: Sql; readonly log: Logger }) {
  const wakes = new Map<number, (() => void)[]>()
  const notified = new Set<number>()
  let sleeping: ReadonlySet<number> = new Set()
  let listening: { readonly stop: () => Promise<void> } | null = null
  const loop = createLoop({ name: 'sleeping networks', ...POLL, turn, log })

  const part: LifecyclePart = {
    name: 'sleeping networks',
    start: async () => {
      listening ??= await listen(sql, 'svc_wakes', { onNotification, onListening: loop.wake })
      loop.start()
    },
    stop: async () => {
      await listening?.stop().catch(() => undefined) // A closed connection has ended the subscription.
      await loop.stop()
    },
  }
  return { part, loop, sleepOf }

  function sleepOf(chainId: number): NetworkSleep {
    return {
      isAsleep: () => sleeping.has(chainId),
      onWake: (wake) => wakes.set(chainId, [...(wakes.get(chainId) ?? []), wake]),
    }
  }

  function onNotification(chainId: string): void {
    if (wakes.has(Number(chainId))) notified.add(Number(chainId))
    loop.wake()
  }

  async function turn(): Promise<'idle'> {
    for (const chainId of notified) {
      await requestWake(sql, chainId)
      notified.delete(chainId)
    }
    const before = sleeping
    sleeping = new Set(await listSleeping(sql))
    const woken = [...before].filter((chainId) => !sleeping.has(chainId))
    for (const wake of woken.flatMap((chainId) => wakes.get(chainId) ?? [])) wake()
    return 'idle'
  }
}
