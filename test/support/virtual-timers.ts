import type { Timers } from '../../shared/chain/pacing/node-pacer.ts'

/** A clock that moves only when a test moves it, and runs the timers that become due. */
export type VirtualTimers = Timers & { readonly advance: (ms: number) => Promise<void> }

/** Creates a clock at 0. */
export function createVirtualTimers(): VirtualTimers {
  let now = 0
  let timers: readonly { readonly atMs: number; readonly run: () => void }[] = []

  return {
    nowMs: () => now,
    after: (ms, run) => {
      const timer = { atMs: now + ms, run }
      timers = [...timers, timer]
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    advance: async (ms) => {
      const end = now + ms
      await settle()
      for (let next = findNext(end); next !== undefined; next = findNext(end)) {
        now = Math.max(now, next.atMs)
        timers = timers.filter((one) => one !== next)
        next.run()
        await settle()
      }
      now = end
    },
  }

  function findNext(end: number) {
    return timers.filter(({ atMs }) => atMs <= end).toSorted((a, b) => a.atMs - b.atMs)[0]
  }
}

/** Runs the callbacks of resolved promises, up to ten in a chain. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}
