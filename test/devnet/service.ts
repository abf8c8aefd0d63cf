import { join, resolve } from 'node:path'

import { claimPort } from './claim-port.ts'
import { compiled } from './compiled.ts'
import { type RunningProgram, startProgram } from './processes.ts'
import type { Settings } from './settings.ts'
import { waitFor } from './wait-for.ts'

/** An API or indexer process that can be started and stopped repeatedly with the same ports. */
export type Service = {
  readonly name: string
  /** URL of the API. Unused for an indexer, which listens only on its internal port. */
  readonly url: string
  readonly internalUrl: string
  /** Returns the id of the running process, or `null` if it does not run. */
  readonly pid: () => number | null
  /** Starts the process unless it is running, and resolves when `/readyz` reports ready. */
  readonly start: () => Promise<void>
  /** Starts the process unless it is running. */
  readonly launch: () => void
  /** Sends SIGTERM, and SIGKILL after 15 s. Does nothing if the process does not run. */
  readonly stop: () => Promise<void>
  /** Sends SIGKILL. Does nothing if the process does not run. */
  readonly kill: () => Promise<void>
}

/** What to run, with which settings and ports, and where to write its log. */
export type ServicePlan = {
  readonly kind: 'api' | 'indexer'
  /** Name of the process and of its log file. */
  readonly name: string
  /** `dist` runs the shipped build, bundled into one file per process. */
  readonly program: 'dist' | 'sources'
  /** Returns all settings except the ports. Called at every start, when all ports are known. */
  readonly settings: () => Settings
  /** Ports to use if they are free. 0 means any port. */
  readonly preferredPorts: { readonly public: number; readonly internal: number }
  readonly directory: string
  /** Returns a command that replaces the default, for example to run with fewer rights or another build. */
  readonly confine?: (plan: Pick<ServicePlan, 'kind'>) => CommandLine
}

/** A program and its working directory. */
export type CommandLine = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

/**
 * Timeout of a start. Each Ponder starts in 3 s on two idle cores, and in up to 30 s on busy cores. After kill -9, a
 * Ponder waits up to 25 s for its lock.
 */
const READY_TIMEOUT_MS = 180_000

const REPOSITORY = resolve(import.meta.dirname, '../..')

/** Claims the ports of a process without starting it. */
export async function planService(plan: ServicePlan): Promise<Service> {
  const ports = {
    public: await claimPort(plan.preferredPorts.public),
    internal: await claimPort(plan.preferredPorts.internal),
  }
  const internalUrl = `http://127.0.0.1:${ports.internal}`
  const command = plan.confine?.(plan) ?? (await commandLine(plan))
  const logFile = join(plan.directory, `${plan.name}.log`)
  let running: RunningProgram | null = null
  const pid = () => (running === null || running.hasEnded() ? null : running.pid)
  const launch = () => {
    if (pid() !== null) return
    running = startProgram({
      name: plan.name,
      ...command,
      env: { ...plan.settings(), ...portSettings(plan.kind, ports) },
      logFile,
    })
  }
  const start = async () => {
    launch()
    const what = `${plan.name} to be ready (see ${logFile})`
    await waitFor(() => pid() === null || isReady(internalUrl), { what, timeoutMs: READY_TIMEOUT_MS })
    if (pid() === null) throw new Error(`${plan.name} ended before it was ready (see ${logFile})`)
  }
  return {
    name: plan.name,
    url: `http://127.0.0.1:${ports.public}`,
    internalUrl,
    pid,
    launch,
    start,
    stop: async () => running?.stop(),
    kill: async () => running?.kill(),
  }
}

function portSettings(kind: 'api' | 'indexer', ports: { public: number; internal: number }): Settings {
  return kind === 'api'
    ? { API_PORT: String(ports.public), API_INTERNAL_PORT: String(ports.internal) }
    : { INDEXER_INTERNAL_PORT: String(ports.internal) }
}

/** Returns the default command. The build runs as one file, because reading its modules takes a second of CPU time. */
async function commandLine({ kind, program }: ServicePlan): Promise<CommandLine> {
  const file =
    program === 'dist' ? [await compiled(`dist/${kind}/main.js`)] : ['--import', 'tsx', `${kind}/main.ts`]
  const args = ['--disable-warning=ExperimentalWarning', '--enable-source-maps', ...file]
  return { command: process.execPath, args, cwd: REPOSITORY }
}

async function isReady(internalUrl: string): Promise<boolean> {
  const response = await fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(2000) })
  await response.body?.cancel()
  return response.ok
}
