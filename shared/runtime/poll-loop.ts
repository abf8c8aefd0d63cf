import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Logger } from './logger.ts'

type Options = {
  /** What the loop does, for the log: `deliveries`. */
  readonly name: string
  /** Rest after a turn that found nothing more to do. */
  readonly intervalMs: number
  /** Does a bounded piece of work; `more` asks for the next turn at once. */
  readonly turn: () => Promise<'more' | 'idle'>
  readonly log: Logger
  /** Longest rest after turns that failed; 30 s by default. */
  readonly maxBackoffMs?: number
}

export type Loop = {
  /** Begins with a turn at once; a second call does nothing. */
  readonly start: () => void
  /** Resolves when the turn under way has finished; no other begins. May be called twice, or without a start. */
  readonly stop: () => Promise<void>
  /** Cuts the rest short; during a turn, makes one more follow it. Any number of calls count as one. */
  readonly wake: () => void
  /** How many turns in a row have failed up to now. */
  readonly failures: () => number
}

/**
 * Makes the one loop that every worker runs in: it asks the database what is due, at its own pace.
 *
 * Turns never overlap. A notification only wakes the loop, so that losing one costs latency and nothing else. A turn
 * that throws is logged and followed by a rest that doubles from `intervalMs` up to `maxBackoffMs`, which a wake does
 * not cut short: a storm of notifications must not hammer a database that is down.
 */
export function createLoop(options: Options): Loop {
  let running: Promise<void> | null = null
  let isStopping = false
  let isWoken = false
  let failures = 0
  let endRest: (() => void) | null = null

  async function run(): Promise<void> {
    for (;;) {
      isWoken = false
      const outcome = await takeTurn()
      if (isStopping) return
      if (outcome === 'failed') await rest(backoffMs(options, failures), { isWakeable: false })
      else if (outcome === 'idle') await rest(options.intervalMs, { isWakeable: true })
      // A loop that always has more to do still lets timers, sockets and signals in.
      else await yieldToEvents()
      if (isStopping) return
    }
  }

  async function takeTurn(): Promise<'more' | 'idle' | 'failed'> {
    try {
      const outcome = await options.turn()
      failures = 0
      return outcome
    } catch (error) {
      failures += 1
      options.log.error({ msg: 'Turn of a loop failed', loop: options.name, failures, error })
      return 'failed'
    }
  }

  function rest(durationMs: number, { isWakeable }: { isWakeable: boolean }): Promise<void> {
    if (isWakeable && isWoken) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        endRest = null
        resolve()
      }
      const timer = setTimeout(end, durationMs)
      endRest = () => (isWakeable || isStopping) && end()
    })
  }

  return {
    start: () => {
      running ??= run()
    },
    stop: async () => {
      isStopping = true
      endRest?.()
      await running
    },
    wake: () => {
      isWoken = true
      endRest?.()
    },
    failures: () => failures,
  }
}

function backoffMs({ intervalMs, maxBackoffMs = 30_000 }: Options, failures: number): number {
  return Math.min(maxBackoffMs, intervalMs * 2 ** Math.min(failures, 20))
}
