import { type ChildProcess, spawn } from 'node:child_process'
import { openSync } from 'node:fs'

import { guardProcess } from './guard-process.ts'
import { waitFor } from './wait-for.ts'

export type Program = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The complete environment. The program inherits no other variable. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** File to which the output is appended. */
  readonly logFile: string
}

/** A running child process that ends with this process. */
export type RunningProgram = {
  readonly pid: number
  /** Whether the process has ended, for any reason. */
  readonly hasEnded: () => boolean
  /** Sends SIGTERM, and SIGKILL if the process has not ended within `STOP_TIMEOUT_MS`. May be called twice. */
  readonly stop: () => Promise<void>
  /** Sends SIGKILL, and resolves when the process has ended. */
  readonly kill: () => Promise<void>
}

/**
 * Time until SIGKILL. It is longer than the API waits for pending requests (10 s) and the indexer for Ponder (8 s), but
 * shorter than the limit of a graceful stop (25 s).
 */
const STOP_TIMEOUT_MS = 15_000
const KILL_TIMEOUT_MS = 60_000

/** Starts a program in its own process group, so that Ctrl-C reaches only this process, which stops its children. */
export function startProgram(program: Program): RunningProgram {
  const log = openSync(program.logFile, 'a')
  const child = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: program.env,
    detached: true,
    stdio: ['ignore', log, log],
  })
  if (child.pid === undefined) throw new Error(`${program.command} could not be started`)
  const release = guardProcess(child.pid)
  child.once('exit', release)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const kill = () => end(child, { signal: 'SIGKILL', timeoutMs: KILL_TIMEOUT_MS, name: program.name })
  const stop = async () => {
    try {
      await end(child, { signal: 'SIGTERM', timeoutMs: STOP_TIMEOUT_MS, name: program.name })
    } catch {
      await kill()
    }
  }
  return { pid: child.pid, hasEnded, stop, kill }
}

async function end(
  child: ChildProcess,
  how: { signal: 'SIGTERM' | 'SIGKILL'; timeoutMs: number; name: string },
): Promise<void> {
  child.kill(how.signal)
  await waitFor(() => child.exitCode !== null || child.signalCode !== null, {
    what: `${how.name} to end after ${how.signal}`,
    timeoutMs: how.timeoutMs,
  })
}
