import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import { ConfigError } from './config-error.ts'
import type { Logger } from './logger.ts'

/** Something a process starts and stops. */
export type Part = {
  readonly name: string
  /** Resolves when it is ready. */
  readonly start: () => unknown
  /** Resolves when it has finished; tolerates never-started and called-twice. */
  readonly stop: () => unknown
}

/** 0: asked to stop and did. 1: a person must act. 75: a restart may help (EX_TEMPFAIL of sysexits.h). */
export type ExitCode = 0 | 1 | 75

export type Lifecycle = {
  /** Starts the parts in order; if one cannot start, stops those before it and exits. */
  readonly start: (parts: readonly Part[]) => Promise<void>
  /** Stops everything because something broke that the process cannot go on without, and exits 1 or 75. */
  readonly fail: (error: unknown) => Promise<void>
}

type Options = {
  readonly log: Logger
  /** Bound of the whole graceful stop; below the 30 s after which Kubernetes kills. */
  readonly stopTimeoutMs?: number
  /** The process, unless a test plays it. */
  readonly host?: Pick<NodeJS.Process, 'on' | 'exit'>
}

/**
 * Makes the life of a process: start in order, stop in reverse, leave with a code that says what to do.
 *
 * The first SIGTERM or SIGINT stops gracefully, within the bound; the second exits at once with 75. An error that
 * nobody caught ends the process the same way as `fail`: its state is unknown, the database's is not.
 */
export function createLifecycle({ log, stopTimeoutMs = 25_000, host = process }: Options): Lifecycle {
  const started: Part[] = []
  let stopping: Promise<void> | null = null

  function stop(code: ExitCode): Promise<void> {
    stopping ??= stopAll(started, { log, stopTimeoutMs }).then((isClean) => {
      log.info({ msg: 'Stopped', exit_code: isClean ? code : 75 })
      host.exit(isClean ? code : 75)
    })
    return stopping
  }

  function fail(error: unknown): Promise<void> {
    log.fatal({ msg: 'Failed beyond repair', error })
    return stop(exitCodeOf(error))
  }

  async function start(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      if (stopping) return
      // Before it is ready: a part that fails halfway through its start may have something to stop.
      started.push(part)
      try {
        await part.start()
      } catch (error) {
        log.fatal({ msg: 'Could not start', part: part.name, error })
        return stop(exitCodeOf(error))
      }
    }
    log.info({ msg: 'Started' })
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (stopping) {
      log.warn({ msg: 'Exited at the second signal', signal })
      host.exit(75)
    } else {
      log.info({ msg: 'Asked to stop', signal })
      void stop(0)
    }
  }

  host.on('SIGTERM', onSignal)
  host.on('SIGINT', onSignal)
  host.on('uncaughtException', (error) => void fail(error))
  host.on('unhandledRejection', (error) => void fail(error))
  return { start, fail }
}

/** Answers 1 for what a restart cannot change: configuration, and refusals that are not retryable. */
export function exitCodeOf(error: unknown): 1 | 75 {
  if (error instanceof ConfigError) return 1
  return error instanceof AppError && !error.retryable ? 1 : 75
}

/** Answers whether every part stopped, without error and in time. */
async function stopAll(
  started: readonly Part[],
  { log, stopTimeoutMs }: { log: Logger; stopTimeoutMs: number },
): Promise<boolean> {
  const timer = new AbortController()
  const timeout = delay(stopTimeoutMs, false, timer).catch(() => false)
  const finished = stopInReverse(started, log)
  const isClean = await Promise.race([finished, timeout])
  timer.abort()
  return isClean
}

async function stopInReverse(started: readonly Part[], log: Logger): Promise<boolean> {
  let isClean = true
  for (const part of started.toReversed()) {
    try {
      await part.stop()
    } catch (error) {
      isClean = false
      log.error({ msg: 'Could not stop cleanly', part: part.name, error })
    }
  }
  return isClean
}
