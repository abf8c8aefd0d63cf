import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { claimPort } from '../../devnet/claim-port.ts'
import { compiled } from '../../devnet/compiled.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { type TestApi, TREASURY } from '../api.ts'
import { scrape } from '../scrape.ts'

/** The API as a separate process, with the default value of every limit. */
export type ApiProcess = {
  readonly baseUrl: string
  readonly isAlive: () => boolean
  /** Megabytes of heap and external memory after a forced collection. */
  readonly measureMemory: () => Promise<number>
  /** Processor time that the process has used, in ms; the elapsed time on other systems than Linux. */
  readonly readProcessorMs: () => number
  readonly readLevels: () => Promise<{ readonly unreadBytes: number; readonly openStreams: number }>
  readonly stop: () => Promise<void>
}

const REPORT_MEMORY = resolve(import.meta.dirname, 'report-memory.mjs')

/** Starts the API on the database of a test's API. */
export async function startApiProcess(
  { database }: Pick<TestApi, 'database'>,
  env: Readonly<Record<string, string>> = {},
): Promise<ApiProcess> {
  const internalPort = await claimPort()
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', REPORT_MEMORY, await compiled('api/main.ts')],
    {
      env: {
        PATH: process.env['PATH'], // oxlint-disable-line no-process-env -- where Node is found
        API_DATABASE_URL: database.url.api,
        API_PORT: '0',
        API_INTERNAL_PORT: String(internalPort),
        TREASURY_ADDRESS: TREASURY,
        CURSOR_SECRET: 'a secret of thirty-two characters',
        DEPLOYMENTS: 'bnb:live',
        CHECKOUT_BASE_URL: 'https://pay.example/pay',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  const baseUrl = await listeningAt(child)
  return {
    baseUrl,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    measureMemory: () => measureMemory(child),
    readProcessorMs: () => readProcessorMs(child),
    readLevels: async () => {
      const { valueOf } = await scrape(`http://127.0.0.1:${internalPort}`)
      return {
        unreadBytes: valueOf('http_buffered_response_bytes', {}) ?? Number.NaN,
        openStreams: valueOf('http_open_streams', {}) ?? Number.NaN,
      }
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function listeningAt(child: ChildProcess): Promise<string> {
  const lines: string[] = []
  createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) => lines.push(line))
  const listening = await waitFor(() => lines.find((line) => line.includes('"msg":"Listening"')), {
    what: 'the port in the log',
    timeoutMs: 60_000,
  })
  return `http://127.0.0.1:${JSON.parse(listening).port}`
}

async function measureMemory(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message')
  child.send('measure')
  const [{ heapUsed, external }] = (await answered) as [{ heapUsed: number; external: number }]
  return (heapUsed + external) / 1e6
}

/**
 * Returns the elapsed time on other systems than Linux.
 *
 * @see proc(5), utime and stime, in ticks of 10 ms; the second field is the program's name in parentheses
 */
function readProcessorMs({ pid }: ChildProcess): number {
  if (process.platform !== 'linux') return performance.now()
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
