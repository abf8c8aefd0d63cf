import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { FeedSettings } from '../ponder/feed-settings.ts'
import { ponderFile } from '../ponder/ponder-file.ts'

/** Which Ponder to run: its settings and the schemas it writes. */
export type PonderSpec = {
  readonly settings: FeedSettings
  readonly schema: string
  readonly viewsSchema: string
  /** Of the V8 heap, in MB; at rest Ponder takes 250 MB in all (measured). */
  readonly maxHeapMb: number
}

type Deps = {
  readonly log: Logger
  /** Called once the process is gone and reaped, before the next one starts: only then is its schema lock stale. */
  readonly afterExit: (schema: string) => Promise<void>
  /** Told on which port it serves its metrics, and `null` when it has ended. */
  readonly onPort?: ((port: number | null) => void) | undefined
}

/** Ponder answers SIGINT by closing its pool and its lock; it then has this long before SIGKILL. */
const STOP_GRACE_MS = 8_000

const FIRST_RESTART_DELAY_MS = 500
const MAX_RESTART_DELAY_MS = 30_000
/** A run of this length was a good one: the next restart is quick again. */
const GOOD_RUN_MS = 10_000

/** Said of every log of ours, because the transport shows Ponder no blooms. */
const EXPECTED_WARNING = 'Log not found in block.logsBloom'

const PONDER_ROOT = fileURLToPath(new URL('../ponder', import.meta.url))

/**
 * Keeps one Ponder process running until stopped, starting it again with growing delays.
 *
 * Exit code 75 means that trying again may help; 1 that a person must act (configuration, build id), and is logged as
 * an error, though a stale lock says 1 as well and is gone by the next try.
 */
export function createPonderProcess(spec: PonderSpec, deps: Deps) {
  let child: ChildProcess | null = null
  let { settings } = spec
  let stopping: AbortController | null = null
  let running: Promise<void> = Promise.resolve()

  return { start, stop, kill, restart, pid: () => child?.pid ?? null }

  function start(): void {
    if (stopping) return
    stopping = new AbortController()
    running = keepRunning(stopping.signal)
  }

  /** Returns when the process is gone and reaped. */
  async function stop(): Promise<void> {
    stopping?.abort()
    if (child) await end(child)
    await running
    stopping = null
  }

  /** Ends the process at once and for good, without waiting for anything: another owner may be about to start his. */
  function kill(): void {
    stopping?.abort()
    child?.kill('SIGKILL')
  }

  /** Ends the process; the loop starts the next one, which asks the nodes in this order. */
  async function restart(rpcUrls: readonly string[]): Promise<void> {
    settings = { ...settings, rpcUrls }
    if (child) await end(child)
  }

  async function keepRunning(signal: AbortSignal): Promise<void> {
    let delayMs = FIRST_RESTART_DELAY_MS
    while (!signal.aborted) {
      const startedAtMs = performance.now()
      const code = await runOnce()
      await deps.afterExit(spec.schema).catch((error: unknown) => {
        deps.log.warn({ msg: 'Could not clean up after Ponder', ponder_schema: spec.schema, err: error })
      })
      if (signal.aborted) return
      delayMs = performance.now() - startedAtMs > GOOD_RUN_MS ? FIRST_RESTART_DELAY_MS : delayMs * 2
      deps.log[code === 1 ? 'error' : 'warn']({
        msg: 'Ponder exited and is started again',
        ponder_schema: spec.schema,
        exit_code: code,
        delay_ms: Math.min(delayMs, MAX_RESTART_DELAY_MS),
      })
      await sleep(Math.min(delayMs, MAX_RESTART_DELAY_MS), signal)
    }
  }

  async function runOnce(): Promise<number | null> {
    const started = spawn(process.execPath, argumentsOf(spec), {
      env: environmentOf(settings),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    forwardLog(started, spec.schema, deps.log)
    started.on('message', (said) => deps.onPort?.(portOf(said)))
    const code = await exitOf(started)
    child = null
    deps.onPort?.(null)
    return code
  }
}

/** What `tell-port.ts` says; nothing else of ours sends anything. */
function portOf(said: unknown): number | null {
  const port = typeof said === 'object' && said !== null && 'port' in said ? said.port : null
  return typeof port === 'number' ? port : null
}

function argumentsOf(spec: PonderSpec): string[] {
  return [
    `--max-old-space-size=${spec.maxHeapMb}`,
    ponderFile('dist/esm/bin/ponder.js'),
    ...['start', '--root', PONDER_ROOT],
    ...['--schema', spec.schema, '--views-schema', spec.viewsSchema],
    ...['--port', '0', '--hostname', '127.0.0.1'],
    ...['--log-format', 'json', '--log-level', 'warn'],
  ]
}

/** Its own environment and nothing of ours: no key of the daemon's reaches it. */
function environmentOf(settings: FeedSettings): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_EXTRA_CA_CERTS } = process.env // oxlint-disable-line no-process-env -- passed on, not read
  const inherited = Object.entries({ PATH, HOME, TMPDIR, NODE_EXTRA_CA_CERTS }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    ...Object.fromEntries(inherited),
    PORT: '0', // Ponder lets PORT beat --port.
    PONDER_TELEMETRY_DISABLED: '1',
    PONDER_FEED: JSON.stringify(settings),
  }
}

function forwardLog(child: ChildProcess, schema: string, log: Logger): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      if (line.includes(EXPECTED_WARNING)) return
      log.warn({ msg: 'Ponder wrote to its log', ponder_schema: schema, line: line.slice(0, 2_000) })
    })
  }
}

/** Answers its exit code; `null` after a signal, or if it could not be started. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.once('error', () => resolve(null))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGINT')
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
  await gone
  clearTimeout(force)
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
