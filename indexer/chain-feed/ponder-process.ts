import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type PacerOf, UNPACED } from '../../shared/chain/pacing/pacing.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { FeedSettings } from '../ponder/feed-settings.ts'
import { resolvePonderFile } from '../ponder/resolve-ponder-file.ts'
import { servePacing } from './serve-pacing.ts'

export type PonderSpec = {
  readonly settings: FeedSettings
  readonly schema: string
  readonly viewsSchema: string
  /** Limit of the V8 heap, in MB. An idle Ponder uses 250 MB in total (measured). */
  readonly maxHeapMb: number
}

type Deps = {
  readonly log: Logger
  /** Called after the process has exited and before the next one starts. Only then is the schema lock stale. */
  readonly afterExit: (schema: string) => Promise<void>
  /** Called with the port on which the process serves its metrics, and with `null` when it has exited. */
  readonly onPort?: ((port: number | null) => void) | undefined
  readonly pacerOf?: PacerOf | undefined
}

/** Time after SIGINT until SIGKILL. On SIGINT Ponder closes its pool and releases its lock. */
const STOP_GRACE_MS = 8_000

const FIRST_RESTART_DELAY_MS = 500
const MAX_RESTART_DELAY_MS = 30_000
/** A longer run resets the restart delay. */
const GOOD_RUN_MS = 10_000

/** Warning that Ponder writes for each of our logs, because the transport returns blocks with an empty `logsBloom`. */
const EXPECTED_WARNING = 'Log not found in block.logsBloom'

const PONDER_ROOT = fileURLToPath(new URL('../ponder', import.meta.url))
/** Runs before Ponder, and ends its process when the daemon dies. */
const END_WITH_DAEMON = new URL('../ponder/end-with-daemon.mjs', import.meta.url).href

/**
 * Runs a Ponder process until stopped, and restarts it with increasing delays.
 *
 * Ponder exits with 75 if a retry can help, and with 1 if an operator must act (configuration, build id); only 1 is
 * logged as an error. A stale lock also causes exit code 1, but is cleared before the next start.
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

  /** Resolves when the process has exited. */
  async function stop(): Promise<void> {
    stopping?.abort()
    if (child) await end(child)
    await running
    stopping = null
  }

  /**
   * Kills the process immediately and permanently, without waiting, because another owner may be about to start its own
   * Ponder.
   */
  function kill(): void {
    stopping?.abort()
    child?.kill('SIGKILL')
  }

  /** Stops the process. The loop then starts the next process, which queries the nodes in this order. */
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
    const pacing = servePacing({
      pacerOf: deps.pacerOf ?? (() => UNPACED.pacer),
      reply: (reply) => started.connected && started.send(reply, () => undefined),
    })
    started.on('message', (said) => {
      if (!pacing.receive(said)) deps.onPort?.(portOf(said))
    })
    const code = await exitOf(started)
    pacing.close()
    child = null
    deps.onPort?.(null)
    return code
  }
}

/** Returns the port from a message of `send-port.ts`, the only message of the process that is not about pacing. */
function portOf(said: unknown): number | null {
  const port = typeof said === 'object' && said !== null && 'port' in said ? said.port : null
  return typeof port === 'number' ? port : null
}

function argumentsOf(spec: PonderSpec): string[] {
  return [
    ...[`--max-old-space-size=${spec.maxHeapMb}`, '--import', END_WITH_DAEMON],
    resolvePonderFile('dist/esm/bin/ponder.js'),
    ...['start', '--root', PONDER_ROOT],
    ...['--schema', spec.schema, '--views-schema', spec.viewsSchema],
    ...['--port', '0', '--hostname', '127.0.0.1'],
    ...['--log-format', 'json', '--log-level', 'warn'],
  ]
}

/** Returns a minimal environment, so that Ponder does not receive the daemon's keys. */
function environmentOf(settings: FeedSettings): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_EXTRA_CA_CERTS } = process.env // oxlint-disable-line no-process-env -- passed on, not read
  const inherited = Object.entries({ PATH, HOME, TMPDIR, NODE_EXTRA_CA_CERTS }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    ...Object.fromEntries(inherited),
    PORT: '0', // Ponder lets the variable PORT override --port.
    PONDER_TELEMETRY_DISABLED: '1',
    PONDER_FEED: JSON.stringify(settings),
    DAEMON_PID: String(process.pid),
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

/** Returns the exit code; `null` after a signal, or if the process could not be started. */
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
