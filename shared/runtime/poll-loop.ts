import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Logger } from './logger.ts'

export type LoopOptions = {
  /** Name of the loop's task in the log, such as `deliveries`. */
  readonly name: string
  /** Delay after a turn that did not return `more`. Doubled for each consecutive failed turn. */
  readonly intervalMs: number
  /** Returns the delay after an `idle` turn; `intervalMs` by default. */
  readonly restMs?: () => number
  /**
   * Processes a bounded amount of work. Returns `more` if the next turn must follow immediately, `later` if the
   * next turn must wait for `intervalMs`, and `idle` if there is no further work.
   */
  readonly turn: () => Promise<Outcome>
  readonly log: Logger
  /** Maximum delay after failed turns; 30 s by default. */
  readonly maxBackoffMs?: number
}

type Outcome = 'more' | 'later' | 'idle'

export type Loop = {
  /** Starts with an immediate turn; a repeated call has no effect. */
  readonly start: () => void
  /** Prevents further turns, and resolves when the current turn has finished. May be called repeatedly. */
  readonly stop: () => Promise<void>
  /** Starts the next turn without delay, except after a failed turn. Several calls during a turn count as one. */
  readonly wake: () => void
  /** Returns the number of consecutive failed turns. */
  readonly failures: () => number
}

/**
 * Creates the loop of a worker, whose turns poll the database for due work and never overlap.
 *
 * A notification only wakes the loop, so that a lost notification costs only latency. If a turn throws, the error is
 * logged, and the delay doubles with each further failure, up to `maxBackoffMs`. A wake does not shorten this delay,
 * because a burst of notifications must not overload a database that is down.
 */
export function createLoop(options: LoopOptions): Loop {
  const { intervalMs, restMs = () => intervalMs } = options
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
      else if (outcome === 'idle') await rest(restMs(), { isWakeable: true })
      else if (outcome === 'later') await rest(intervalMs, { isWakeable: true })
      // Lets timers, sockets and signals be processed, even if every turn returns `more`.
      else await yieldToEvents()
      if (isStopping) return
    }
  }

  async function runTurn(): Promise<Outcome | 'failed'> {
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

function backoffMs({ intervalMs, maxBackoffMs = 30_000 }: LoopOptions, failures: number): number {
  return Math.min(maxBackoffMs, intervalMs * 2 ** Math.min(failures, 20))
}
