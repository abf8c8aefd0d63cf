import { AppError } from '../domain/errors.ts'
import { ConfigError } from './config-error.ts'
import type { Logger } from './logger.ts'
import { withTimeLimit } from './time-limit.ts'

/** A part of a process that is started and stopped. */
export type LifecyclePart = {
  readonly name: string
  /** Resolves when the part is ready. */
  readonly start: () => unknown
  /** Resolves when the part has stopped. May be called repeatedly, and before `start`. */
  readonly stop?: () => unknown
}

/** 0: stopped on request. 1: a person must act. 75: a restart might help (EX_TEMPFAIL of sysexits.h). */
export type ExitCode = 0 | 1 | 75

export type Lifecycle = {
  /** Starts the parts in order. If a part fails to start, stops that part and the parts before it, and exits. */
  readonly start: (parts: readonly LifecyclePart[]) => Promise<void>
  /** Logs an unrecoverable error, stops all parts, and exits with 1 or 75. */
  readonly fail: (error: unknown) => Promise<void>
}

type Options = {
  readonly log: Logger
  /** Maximum duration of a graceful stop, below the 30 s after which Kubernetes kills the process. */
  readonly stopTimeoutMs?: number
  /** Tests pass a substitute. */
  readonly host?: Pick<NodeJS.Process, 'on' | 'exit'>
}

/**
 * Creates the lifecycle of a process: start in order, stop in reverse order, and exit with an `ExitCode`.
 *
 * The first SIGTERM or SIGINT stops gracefully, within `stopTimeoutMs`; the second exits immediately with 75. An
 * uncaught error calls `fail`, because the process's memory might be inconsistent.
 */
export function createLifecycle({ log, stopTimeoutMs = 25_000, host = process }: Options): Lifecycle {
  const started: LifecyclePart[] = []
  let stopping: Promise<void> | null = null

  function stop(code: ExitCode): Promise<void> {
    stopping ??= stopAll(code)
    return stopping
  }

  async function stopAll(code: ExitCode): Promise<void> {
    const isClean = await withTimeLimit(stopInReverse(started, log), { ms: stopTimeoutMs, late: false })
    log.info({ msg: 'Stopped', exit_code: isClean ? code : 75 })
    host.exit(isClean ? code : 75)
  }

  function fail(error: unknown): Promise<void> {
    log.fatal({ msg: 'Unrecoverable failure', error })
    return stop(getExitCode(error))
  }

  async function start(parts: readonly LifecyclePart[]): Promise<void> {
    for (const part of parts) {
      if (stopping) return
      // Added before the part starts, because a part whose start fails halfway might need to be stopped.
      started.push(part)
      try {
        await part.start()
      } catch (error) {
        log.fatal({ msg: 'Could not start', part: part.name, error })
        return stop(getExitCode(error))
      }
    }
    log.info({ msg: 'Started' })
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (stopping) {
      log.warn({ msg: 'Exited at the second signal', signal })
      host.exit(75)
    } else {
      log.info({ msg: 'Stop requested', signal })
      void stop(0)
    }
  }

  host.on('SIGTERM', onSignal)
  host.on('SIGINT', onSignal)
  host.on('uncaughtException', (error) => void fail(error))
  host.on('unhandledRejection', (error) => void fail(error))
  return { start, fail }
}

/** Returns 1 for errors that a restart cannot fix (configuration, and errors marked as not retryable), otherwise 75. */
export function getExitCode(error: unknown): 1 | 75 {
  if (error instanceof ConfigError) return 1
  return error instanceof AppError && !error.retryable ? 1 : 75
}

/** Returns whether every part stopped without an error. */
async function stopInReverse(started: readonly LifecyclePart[], log: Logger): Promise<boolean> {
  let isClean = true
  for (const part of started.toReversed()) {
    try {
      await part.stop?.()
    } catch (error) {
      isClean = false
      log.error({ msg: 'Could not stop cleanly', part: part.name, error })
    }
  }
  return isClean
}
