import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Devnet } from '../devnet/devnet.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startFaultyDevnet } from '../support/faulty-devnet.ts'
import { createMarket, type Market } from '../support/market.ts'
import { auditMoney } from '../support/money-audit.ts'
import { chooseFault } from '../support/process-kills.ts'
import { query } from '../support/scenario.ts'
import { createRandom } from '../support/seeded-random.ts'
import { countSleeps, untilAsleep } from '../support/sleeping-networks.ts'
import { judge, type Sample, type Verdict } from './evaluate.ts'
import { type FaultContext, MISHAPS } from './faults.ts'
import { startTrade, type Trade } from './load.ts'
import { listOwedEvents } from './owed-events.ts'
import { look } from './probe.ts'

export type SoakOptions = {
  /** Directory of the devnet's logs. */
  readonly directory: string
  readonly minutes: number
  readonly seed: number
  /** Charges per second. `null` measures the rate by calibration. */
  readonly rate: number | null
  readonly say: (line: string) => void
}

const MINUTE_MS = 60_000
/**
 * Maximum duration of the calibration, which takes at most a third of a run. Its first half fills the pipeline between
 * payment and settlement.
 */
const MAX_CALIBRATION_MS = MINUTE_MS
/** Charges per second during the calibration. A machine with two cores has never settled this many. */
const CALIBRATION_RATE = 20
const LOOK_MS = 5_000
const SAY_MS = 30_000
/** Maximum time until no delivery is pending after the run, including retries after the last faults. */
const AT_REST_WITHIN_MS = 10 * MINUTE_MS

/** Minimum duration for an evaluation of levels and tables, because a shorter run only warms up. */
const MIN_JUDGED_MINUTES = 5
const TOO_SHORT: Verdict = {
  figures: [`under ${MIN_JUDGED_MINUTES} minutes: memory, handles, connections and tables are not evaluated`],
  failures: [],
}

type Stage = FaultContext & { readonly trade: Trade; readonly samples: Sample[] }

/**
 * Runs the service for the given time, waits until all work is completed, and returns the measured figures and the
 * failures.
 */
export async function runSoak(options: SoakOptions): Promise<Verdict> {
  const { devnet, proxies, stop } = await startFaultyDevnet(options.directory)
  try {
    const random = createRandom(options.seed)
    const market = await createMarket(devnet, random)
    const trade = await startTrade(devnet, market)
    try {
      return await run({ devnet, market, proxies, random, trade, samples: [] }, options)
    } finally {
      await trade.stop()
    }
  } finally {
    await stop()
  }
}

async function run(stage: Stage, options: SoakOptions): Promise<Verdict> {
  const { trade, market, devnet, samples } = stage
  const { minutes, say } = options
  await untilAsleep(devnet, ['base', 'bnb'])
  const watch = watchIt(stage, say)
  const endsAtMs = Date.now() + minutes * MINUTE_MS
  const { rate, figure } = await chooseRate(stage, options)
  say(figure)
  trade.setRate(rate)
  const mishaps = await causeFaultsUntil(endsAtMs, stage, say)
  await watch.stop()
  await trade.rest()
  const made = market.charges.length
  say(`${made} charges created; waiting for all work to complete`)
  await market.payLate()
  await market.wakeNetworks()
  await market.untilQuiet()
  say('every charge is final; waiting for the last events')
  const announced = await judgeEvents(devnet, trade)
  say(
    `${announced.figures.join()}; ${announced.failures.length} failed checks of events; reading the balances`,
  )
  const books = await judgeBooks(devnet, market)
  const sleeps = await countSleeps(options.directory)
  const flatness = minutes < MIN_JUDGED_MINUTES ? TOO_SHORT : judge(samples)
  return {
    figures: [
      `${figure}; ${made} charges in ${minutes} minutes, ${mishaps} faults, ${trade.failures.length} rounds that a merchant had to abandon`,
      ...announced.figures,
      `networks fell asleep ${sleeps.asleep} times and woke ${sleeps.awake} times`,
      ...flatness.figures,
    ],
    failures: [
      ...announced.failures,
      ...books,
      ...flatness.failures,
      ...(sleeps.awake < 2 ? [`networks woke from sleep ${sleeps.awake} times, expected at least 2`] : []),
    ],
  }
}

/**
 * Returns the requested rate. Without one, measures how many charges per second are settled while more charges are
 * created than the machine can settle, and returns half of that number, but at least 0.5.
 */
async function chooseRate(
  { trade, devnet }: Stage,
  { rate, minutes }: SoakOptions,
): Promise<{ readonly rate: number; readonly figure: string }> {
  if (rate !== null) return { rate, figure: `${rate} charges per second, as requested` }
  const lastsMs = Math.min(MAX_CALIBRATION_MS, (minutes * MINUTE_MS) / 3)
  trade.setRate(CALIBRATION_RATE)
  await delay(lastsMs / 2)
  const [before, sinceMs] = [await countSettled(devnet), Date.now()]
  await delay(lastsMs / 2)
  const most = ((await countSettled(devnet)) - before) / ((Date.now() - sinceMs) / 1000)
  const half = Math.max(0.5, most / 2)
  return {
    rate: half,
    figure: `${half.toFixed(1)} charges per second, half of the ${most.toFixed(1)} that were settled when ${CALIBRATION_RATE} were requested`,
  }
}

async function countSettled(devnet: Devnet): Promise<number> {
  const [row] = await query(
    devnet,
    (sql) => sql<{ count: number }[]>`select count(*) from charges where settled_at is not null`,
  )
  return row?.count ?? 0
}

/** Causes one fault per minute, in rotation. Returns the number of faults. */
async function causeFaultsUntil(endsAtMs: number, stage: Stage, say: SoakOptions['say']): Promise<number> {
  let count = 0
  for (let nextAtMs = Date.now() + MINUTE_MS / 4; nextAtMs < endsAtMs; nextAtMs += MINUTE_MS) {
    await delay(Math.max(0, nextAtMs - Date.now()))
    const mishap = chooseFault(MISHAPS, count)
    count += 1
    const startedAtMs = Date.now()
    await mishap.happen(stage)
    say(`${mishap.name}: over after ${seconds(Date.now() - startedAtMs)} s`)
  }
  await delay(Math.max(0, endsAtMs - Date.now()))
  return count
}

/** Takes a sample every 5 s, and prints the levels every half minute. */
function watchIt({ devnet, market, samples }: Stage, say: SoakOptions['say']) {
  const stopping = new AbortController()
  const startedAtMs = Date.now()
  let saidAtMs = startedAtMs
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await delay(LOOK_MS)
      const sample = await look(devnet, market.charges.length)
      if (sample !== null) samples.push(sample)
      if (Date.now() - saidAtMs < SAY_MS) continue
      saidAtMs = Date.now()
      const levels = Object.entries(sample?.levels ?? {}).map(
        ([name, value]) => `${name} ${Math.round(value)}`,
      )
      const state = sample === null ? 'a process is down' : levels.join('; ')
      say(`${seconds(saidAtMs - startedAtMs)} s: ${market.charges.length} charges; ${state}`)
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}

/** Verifies that every event has arrived at the endpoint and on the stream, and that no delivery is pending. */
async function judgeEvents(devnet: Devnet, trade: Trade): Promise<Verdict> {
  const owed = () => query(devnet, listOwedEvents)
  await waitFor(async () => (await owed()).every(({ status }) => status !== 'pending'), {
    what: 'every event to be delivered',
    timeoutMs: AT_REST_WITHIN_MS,
    intervalMs: 1_000,
  }).catch(() => undefined)
  const events = await owed()
  const undelivered = events.filter(({ id, status }) => status !== 'delivered' || !trade.delivered.has(id))
  const unheard = events.filter(({ id }) => !trade.heard.has(id))
  return {
    figures: [`${events.length} events to deliver and stream`],
    failures: [
      ...(undelivered.length === 0
        ? []
        : [`${undelivered.length} events were not delivered: ${some(undelivered)}`]),
      ...(unheard.length === 0 ? [] : [`${unheard.length} events were not streamed: ${some(unheard)}`]),
    ],
  }
}

/** Compares the sums of `auditMoney`, each computed in two ways. Returns the differences. */
async function judgeBooks(devnet: Devnet, market: Market): Promise<readonly string[]> {
  const books = await auditMoney(devnet, market)
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['the account balances and the amounts paid in', books.accounts, books.paidIn],
    ['the paid-out amounts and the promised amounts', books.paidOut, books.promised],
    ['the received amounts of the charges and the amounts on the chains', books.credited, books.received],
    ['statuses', books.statuses, books.expectedStatuses],
    ['charges that received enough but are not settled', books.unsettled, []],
    ['payouts sent twice', [...books.payoutsSentTwice], []],
  ]
  return pairs
    .filter(([, one, other]) => !isDeepStrictEqual(one, other))
    .map(([name, one, other]) => `the balances do not match: ${name}: ${difference(one, other)}`)
}

function difference(one: unknown, other: unknown): string {
  const [left, right] = [Object.entries(one ?? {}), new Map(Object.entries(other ?? {}))]
  const unlike = left.filter(([key, value]) => !isDeepStrictEqual(value, right.get(key)))
  const missing = [...right.keys()].filter((key) => !left.some(([known]) => known === key))
  const words = unlike
    .slice(0, 5)
    .map(([key, value]) => `${key} is ${String(value)}, not ${String(right.get(key))}`)
  return [...words, ...missing.slice(0, 5).map((key) => `${key} is missing`)].join('; ')
}

function some(rows: readonly { readonly id: string }[]): string {
  return rows
    .slice(0, 5)
    .map(({ id }) => id)
    .join(', ')
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(0)
}
