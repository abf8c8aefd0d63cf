import { type ChildProcess, spawn } from 'node:child_process'
import { openSync } from 'node:fs'

import { guardProcess } from './guard-process.ts'
import { waitFor } from './wait-for.ts'

/** What to run, and where its output goes. */
export type Program = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment: nothing of the caller's is added. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Appended to. */
  readonly logFile: string
}

/** A running child process that dies with us. */
export type RunningProgram = {
  readonly pid: number
  /** Whether it has ended, for whatever reason. */
  readonly hasEnded: () => boolean
  /** Sends SIGTERM, and SIGKILL if that does not end it within `STOP_TIMEOUT_MS`; may be called twice. */
  readonly stop: () => Promise<void>
  /** Sends SIGKILL and returns when it is gone. */
  readonly kill: () => Promise<void>
}

/** Above the graceful stop of ours, which gives requests and turns 10 s. */
const STOP_TIMEOUT_MS = 15_000
const KILL_TIMEOUT_MS = 60_000

/** Starts a program in a process group of its own: Ctrl-C is for us, and we stop what we started in order. */
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
