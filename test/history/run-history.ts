import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServicePlan } from '../devnet/service.ts'
import { chooseFault } from '../support/process-kills.ts'
import { createRandom } from '../support/seeded-random.ts'
import { checkRecord, type Verdict } from './checker/check-record.ts'
import { parseRecord } from './checker/entry.ts'
import { readChains } from './checker/read-chain.ts'
import { type Clients, startClients } from './clients/start-clients.ts'
import { FAULTS, type FaultContext } from './faults.ts'
import { readFinalState } from './read-final-state.ts'
import { createRecorder, type Recorder } from './record.ts'
import { type Stage, startStage } from './stage.ts'
import { untilQuiet } from './until-quiet.ts'

export type HistoryOptions = {
  /** Directory of the record and the logs. */
  readonly directory: string
  readonly minutes: number
  readonly seed: number
  /** Charges per second. */
  readonly rate: number
  /** Seconds between the starts of two faults. */
  readonly everySeconds: number
  /** Maximum wait until all charges are final. */
  readonly quietWithinMs: number
  /** Runs the processes of another build instead of `dist`. */
  readonly confine?: ServicePlan['confine']
  readonly report: (line: string) => void
}

const MINUTE_MS = 60_000
const REPORT_MS = 30_000

export const RECORD_FILE = 'record.jsonl'

/** Runs and records the service with clients and faults. Returns the checker's verdicts on the record. */
export async function runHistory(options: HistoryOptions): Promise<readonly Verdict[]> {
  const file = join(options.directory, RECORD_FILE)
  const recorder = createRecorder(file)
  try {
    const stage = await startStage(options)
    try {
      await recordRun({ stage, recorder }, options)
      options.report('the final state is recorded; reading the chains')
      for (const fact of await readChains(parseRecord(readFileSync(file, 'utf8')))) recorder.add(fact)
    } finally {
      await stage.stop()
    }
  } finally {
    recorder.close()
  }
  return checkRecord(parseRecord(readFileSync(file, 'utf8')))
}

type Run = { readonly stage: Stage; readonly recorder: Recorder }

async function recordRun({ stage, recorder }: Run, options: HistoryOptions): Promise<void> {
  const { report, seed, quietWithinMs } = options
  recorder.add({ type: 'setup', networks: stage.networks })
  const random = createRandom(seed)
  const clients = await startClients({ stage, recorder, random, rate: options.rate })
  const progress = setInterval(() => report(describe(recorder, clients)), REPORT_MS)
  try {
    await causeFaults({ stage, random, endpoints: clients.endpoints }, { recorder, options })
    report('no more faults and charges; waiting for the end of every charge')
    await clients.closeShops()
    const problem = await untilQuiet({ stage, ...clients }, quietWithinMs)
    if (problem !== null) report(problem)
    recorder.add({ type: 'quiet' })
    await readFinalState(clients.shops)
    report(describe(recorder, clients))
  } finally {
    clearInterval(progress)
    await clients.stop()
  }
}

type Plan = { readonly recorder: Recorder; readonly options: HistoryOptions }

async function causeFaults(context: FaultContext, { recorder, options }: Plan): Promise<void> {
  const { minutes, everySeconds, seed, report } = options
  const endsAtMs = Date.now() + minutes * MINUTE_MS
  const everyMs = everySeconds * 1000
  let count = 0
  for (let nextAtMs = Date.now() + everyMs / 2; nextAtMs < endsAtMs; nextAtMs += everyMs) {
    await delay(Math.max(0, nextAtMs - Date.now()))
    if (Date.now() >= endsAtMs) break
    const { name, happen } = chooseFault(FAULTS, seed - 1 + count)
    count += 1
    report(name)
    recorder.add({ type: 'fault', name, phase: 'begins' })
    await happen(context)
    recorder.add({ type: 'fault', name, phase: 'ends' })
  }
  await delay(Math.max(0, endsAtMs - Date.now()))
}

function describe({ count }: Recorder, { shops }: Clients): string {
  const charges = shops.reduce((sum, shop) => sum + shop.charges.length, 0)
  const failures = shops.flatMap((shop) => shop.failures)
  const counts = [
    `${charges} charges`,
    `${count('response')} responses and ${count('lost')} lost`,
    `${count('delivery')} deliveries`,
    `${count('frame')} frames`,
    `${count('fault') >> 1} faults`,
    `${failures.length} failed charges${failures.length > 0 ? ` (${failures.at(-1)})` : ''}`,
  ]
  return counts.join(', ')
}
