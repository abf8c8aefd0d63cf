import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Logger } from './logger.ts'

type Options = {
  /** Name of the loop's task in the log, such as `deliveries`. */
  readonly name: string
  /** Delay after a turn without further work. */
  readonly intervalMs: number
  /** Processes a bounded amount of work. Returns `more` to request the next turn immediately. */
  readonly turn: () => Promise<'more' | 'idle'>
  readonly log: Logger
  /** Maximum delay after failed turns; 30 s by default. */
  readonly maxBackoffMs?: number
}

export type Loop = {
  /** Starts with an immediate turn; a repeated call has no effect. */
  readonly start: () => void
  /** Resolves when the current turn has finished. No further turn starts. May be called twice, and without a start. */
  readonly stop: () => Promise<void>
  /** Ends the delay; during a turn, requests one more turn afterwards. Any number of calls count as one. */
  readonly wake: () => void
  /** Returns the number of consecutive failed turns. */
  readonly failures: () => number
}

/**
 * Creates the loop in which every worker runs. The loop queries the database for due work at its own pace.
 *
 * Turns never overlap. A notification only wakes the loop, so that a lost notification costs only latency. A turn that
 * throws is logged, and followed by a delay that doubles from `intervalMs` up to `maxBackoffMs`. A wake does not
 * shorten this delay, because a burst of notifications must not overload a database that is down.
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
      const outcome = await runTurn()
      if (isStopping) return
      if (outcome === 'failed') await rest(backoffMs(options, failures), { isWakeable: false })
      else if (outcome === 'idle') await rest(options.intervalMs, { isWakeable: true })
      // Lets timers, sockets and signals run, even if the loop always has more work.
      else await yieldToEvents()
      if (isStopping) return
    }
  }

  async function runTurn(): Promise<'more' | 'idle' | 'failed'> {
    try {
      const outcome = await options.turn()
      failures = 0
      return outcome
    } catch (error) {
      failures += 1
      options.log.error({ msg: 'Loop iteration failed', loop: options.name, failures, error })
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
