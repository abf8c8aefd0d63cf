import { join, resolve } from 'node:path'

import { claimPort } from './claim-port.ts'
import { type RunningProgram, startProgram } from './processes.ts'
import type { Settings } from './settings.ts'
import { waitFor } from './wait-for.ts'

/** One of our two processes, which can be started and ended at will; its ports stay the same. */
export type Service = {
  readonly name: string
  /** Where the API listens; the indexer listens nowhere else than on its internal port. */
  readonly url: string
  readonly internalUrl: string
  /** Of the process that runs now; `null` if none does. */
  readonly pid: () => number | null
  /** Starts it and returns when `/readyz` says so; does not start it twice. */
  readonly start: () => Promise<void>
  /** Starts it without waiting. */
  readonly launch: () => void
  /** SIGTERM; does nothing if it does not run. */
  readonly stop: () => Promise<void>
  /** SIGKILL; does nothing if it does not run. */
  readonly kill: () => Promise<void>
}

/** What a process is made of. */
export type ServicePlan = {
  readonly kind: 'api' | 'indexer'
  /** Of its log. */
  readonly name: string
  /** Run `dist/`, which is what ships, or the sources. */
  readonly program: 'dist' | 'sources'
  /** All but the ports; asked for at every start, when all ports are known. */
  readonly settings: () => Settings
  /** Taken if they are free; 0 is any. */
  readonly preferredPorts: { readonly public: number; readonly internal: number }
  readonly directory: string
  /** Answers what runs it in its stead: with fewer rights, or another build. */
  readonly confine?: (plan: Pick<ServicePlan, 'kind'>) => CommandLine
}

/** A program and where it runs. */
export type CommandLine = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

/**
 * Several Ponders start in 3 s each on two idle cores, and ten times as long were seen on busy ones; after a kill -9 one
 * waits up to 25 s for its lock.
 */
const READY_TIMEOUT_MS = 180_000

const REPOSITORY = resolve(import.meta.dirname, '../..')

/** Finds ports for a process of ours, without starting it. */
export async function planService(plan: ServicePlan): Promise<Service> {
  const ports = {
    public: await claimPort(plan.preferredPorts.public),
    internal: await claimPort(plan.preferredPorts.internal),
  }
  const internalUrl = `http://127.0.0.1:${ports.internal}`
  const logFile = join(plan.directory, `${plan.name}.log`)
  let running: RunningProgram | null = null
  const pid = () => (running === null || running.hasEnded() ? null : running.pid)
  const launch = () => {
    if (pid() !== null) return
    running = startProgram({
      name: plan.name,
      ...(plan.confine?.(plan) ?? commandLine(plan)),
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

function commandLine({ kind, program }: ServicePlan): CommandLine {
  const file = program === 'dist' ? [`dist/${kind}/main.js`] : ['--import', 'tsx', `${kind}/main.ts`]
  const args = ['--disable-warning=ExperimentalWarning', '--enable-source-maps', ...file]
  return { command: process.execPath, args, cwd: REPOSITORY }
}

async function isReady(internalUrl: string): Promise<boolean> {
  const response = await fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(2000) })
  await response.body?.cancel()
  return response.ok
}
