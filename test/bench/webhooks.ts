import { setTimeout as delay } from 'node:timers/promises'
import PQueue from 'p-queue'
import { Agent, request } from 'undici'
import { listDueEndpoints } from '../../shared/db/webhooks/daemon/deliveries.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, compare, type Measurement, median } from './compare.ts'
import {
  MEASURED,
  OTHER,
  type ReceivingOptions,
  registerMeasured,
  SLOTS,
  sendMeasured,
  type WebhookRig,
  withRig,
} from './webhook-harness.ts'

/** Target ratio to the rate of a loop that only posts. */
const AIM = 0.5

/**
 * Number of overdue deliveries of one dead endpoint. While the daemon retries these deliveries, the rate of the other
 * endpoints must stay at least `AIM_BESIDE_DEAD` of their usual rate.
 */
const OVERDUE = 10_000
const AIM_BESIDE_DEAD = 0.95

/** Number of endpoints without due deliveries, and maximum time of a search for due deliveries among them. */
const IDLE_ENDPOINTS = 100_000
const AIM_IDLE_MS = 5
const IDLE_LOOKS = 101

/**
 * Number of endpoints that respond after 2 s, and number of endpoints that never respond. Before each event of the fast
 * endpoint, these 40 endpoints receive an event, whose deliveries cause part of the growth in latency.
 */
const BAD_ENDPOINTS = 20
const AIM_LATENCY = 1.5
const PACED_EVENTS = 100
const PACE_MS = 50

/**
 * Compares webhook deliveries with a bare undici loop that posts the same bytes to the same receiver. Also measures how
 * much bad endpoints slow down the other endpoints, and how long a search for due deliveries takes. Receiver, sender
 * and loop run in this process.
 */
export async function benchWebhooks(options: BenchOptions): Promise<readonly (Comparison | Measurement)[]> {
  const receiver = await startReceiver((response) => void response.end('ok'))
  try {
    return [
      ...(await withRig((rig) => againstBareLoop(rig, { ...options, receiver }))),
      await withRig((rig) => besideNobody(rig, { ...options, receiver })),
      await withRig((rig) =>
        besideDead(rig, { ...options, receiver, dead: 'http://127.0.0.1:1/', kind: 'refuses' }),
      ),
      await withSilent((silent) =>
        withRig((rig) => besideDead(rig, { ...options, receiver, dead: silent.url, kind: 'is silent' })),
      ),
      await withRig((rig) => idleLook(rig, options)),
      ...(await withRig((rig) => latencyAmongBad(rig, options))),
    ]
  } finally {
    await receiver.stop()
  }
}

async function againstBareLoop(
  rig: WebhookRig,
  options: ReceivingOptions,
): Promise<readonly (Comparison | Measurement)[]> {
  const { receiver, repetitions } = options
  const ids = await registerMeasured(rig, receiver)
  const coreShares: number[] = []
  const send = async () => {
    const [cpu, startedAtMs] = [process.cpuUsage(), performance.now()]
    const rate = await sendMeasured(rig, ids, options)
    const { user, system } = process.cpuUsage(cpu)
    coreShares.push((user + system) / 10 / (performance.now() - startedAtMs))
    return rate
  }
  await send() // Collects the requests that the bare loop repeats.
  const sent = receiver.requests.slice()
  const comparison = await compare({
    name: 'deliver webhooks, each leased, signed, checked and recorded / bare undici loop, the same bytes',
    aim: AIM,
    repetitions,
    ours: send,
    yardstick: () => postAll(sent, new URL(receiver.url).origin),
  })
  const limit = {
    name: 'limit: processor time of sender and receiver, while PostgreSQL uses the rest',
    unit: '%',
    value: Math.round(median(coreShares)),
  }
  return [comparison, limit]
}

/** Posts the received requests again, at most `SLOTS` simultaneously. Returns the requests per second. */
async function postAll(sent: readonly ReceivedRequest[], origin: string): Promise<number> {
  const dispatcher = new Agent({ pipelining: 1 })
  const queue = new PQueue({ concurrency: SLOTS })
  const startedAtMs = performance.now()
  const { host: _host, connection: _connection, ...headers } = sent[0]?.headers ?? {}
  await queue.addAll(
    sent.map(({ path, body }) => async () => {
      const answer = await request(`${origin}${path}`, { dispatcher, method: 'POST', headers, body })
      await answer.body.dump()
    }),
  )
  const seconds = (performance.now() - startedAtMs) / 1000
  await dispatcher.close()
  return sent.length / seconds
}

/** Compares the same code with itself, which shows the bias of the bench. */
async function besideNobody(rig: WebhookRig, options: ReceivingOptions): Promise<Comparison> {
  const { receiver, repetitions } = options
  const ids = await registerMeasured(rig, receiver)
  const send = () => sendMeasured(rig, ids, options)
  return compare({
    name: 'the bias of the next two comparisons: none / none',
    aim: null,
    repetitions,
    ours: send,
    yardstick: send,
  })
}

/** Compares the rate of the measured endpoints while a dead endpoint has overdue deliveries and while it has none. */
async function besideDead(
  rig: WebhookRig,
  options: ReceivingOptions & { dead: string; kind: 'refuses' | 'is silent' },
): Promise<Comparison> {
  const { receiver, repetitions, dead, kind } = options
  const ids = await registerMeasured(rig, receiver)
  await rig.register([dead], OTHER)
  const overdue = resize(OVERDUE, options)
  await rig.append(overdue, OTHER)
  // Marks the endpoint as failing. `setDue` records one failed attempt per delivery, two hours ago.
  await rig.sql`insert into endpoint_health (webhook_id, is_failing) select id, true from webhooks where url = ${dead}`
  const setDue = async (isDue: boolean) => {
    await rig.sql`
      update deliveries d set next_attempt_at = now() + case when ${isDue} then interval '-1 hour' else interval '1 day' end,
        attempts = 1, cycle_attempts = 1, cycle_started_at = now() - interval '2 hours',
        first_attempted_at = now() - interval '2 hours', leased_until = null, status = 'pending', failed_at = null
      from webhooks w where w.id = d.webhook_id and w.url = ${dead}`
  }
  return compare({
    name: `deliver while an endpoint that ${kind} has ${overdue} deliveries overdue / none`,
    aim: AIM_BESIDE_DEAD,
    repetitions,
    ours: async () => {
      await setDue(true)
      return sendMeasured(rig, ids, options)
    },
    yardstick: async () => {
      await setDue(false)
      return sendMeasured(rig, ids, options)
    },
  })
}

/** Measures the daemon's search for due deliveries while every endpoint has one delivery, which is due in a day. */
async function idleLook(rig: WebhookRig, options: BenchOptions): Promise<Comparison> {
  const { sql } = rig
  const endpoints = resize(IDLE_ENDPOINTS, options)
  await rig.register(['https://example.com/hook'], OTHER)
  await sql`
    insert into webhooks (id, organization_id, environment, url, events, event_categories, exclude_events,
      secret_sealed, secret_hint)
    select 'wh_' || n, organization_id, environment, url, events, event_categories, exclude_events, secret_sealed, secret_hint
    from webhooks, generate_series(1, ${endpoints - 1}::int) n`
  await rig.append(1, OTHER)
  await sql`update deliveries set next_attempt_at = now() + interval '1 day'`
  await sql`vacuum analyze deliveries, webhooks`
  const tookMs: number[] = []
  for (let look = 0; look < resize(IDLE_LOOKS, options); look += 1) {
    const startedAtMs = performance.now()
    await listDueEndpoints(sql, { after: '', upTo: null, now: new Date(), limit: 200 })
    tookMs.push(performance.now() - startedAtMs)
  }
  const ours = median(tookMs)
  const name = `search for due deliveries with ${endpoints} waiting endpoints / the bound`
  return { name, unit: 'ms', aim: 1, ours, yardstick: AIM_IDLE_MS, ratio: ours / AIM_IDLE_MS }
}

/** Compares the fast endpoint's times from commit to arrival with and without deliveries to bad endpoints. */
async function latencyAmongBad(rig: WebhookRig, options: BenchOptions): Promise<readonly Comparison[]> {
  const [endpoints, events] = [resize(BAD_ENDPOINTS, options), resize(PACED_EVENTS, options)]
  const fast = await startReceiver((response) => void response.end('ok'))
  const slow = await startReceiver((response) => void setTimeout(() => response.end('late'), 2_000))
  return withSilent(async (silent) => {
    await rig.register([fast.url])
    const bad = [slow, silent].flatMap(({ url }) =>
      Array.from({ length: endpoints }, (_, n) => `${url}/${n}`),
    )
    await rig.register(bad, OTHER)
    const pairs: { alone: readonly number[]; among: readonly number[] }[] = []
    for (let turn = 0; turn <= options.repetitions; turn += 1) {
      const alone = await latenciesOf(rig, { fast, events, beside: false })
      const among = await latenciesOf(rig, { fast, events, beside: true })
      if (turn > 0) pairs.push({ alone, among })
    }
    await Promise.all([fast.stop(), slow.stop()])
    const name = `a fast endpoint's latency among ${endpoints} slow and ${endpoints} silent ones / alone`
    return [
      latencyCompared(`${name}, median`, pairs, 0.5),
      latencyCompared(`${name}, 99th of a hundred`, pairs, 0.99),
    ]
  })
}

type LatencyPair = { readonly alone: readonly number[]; readonly among: readonly number[] }

/** Compares a quantile of all rounds together, because the 99th percentile of one round's 100 values is random. */
function latencyCompared(name: string, pairs: readonly LatencyPair[], quantile: number): Comparison {
  const of = (values: readonly number[]) =>
    values.toSorted((left, right) => left - right)[Math.floor(values.length * quantile)] ?? Number.NaN
  const ours = of(pairs.flatMap(({ among }) => among))
  const yardstick = of(pairs.flatMap(({ alone }) => alone))
  return { name, unit: 'ms', aim: AIM_LATENCY, ratio: ours / yardstick, ours, yardstick }
}

/**
 * Appends the fast endpoint's events one at a time, each `PACE_MS` after the arrival of the previous event. With
 * `beside`, first appends an event for the bad endpoints each time. Returns the fast endpoint's latencies in
 * milliseconds.
 */
async function latenciesOf(
  rig: WebhookRig,
  { fast, events, beside }: { fast: Receiver; events: number; beside: boolean },
): Promise<readonly number[]> {
  await rig.sql`delete from deliveries`
  const sending = rig.start()
  const tookMs: number[] = []
  for (let n = 0; n < events; n += 1) {
    const seen = fast.requests.length
    if (beside) await rig.append(1, OTHER)
    await rig.append(1, MEASURED)
    const committedAtMs = performance.now()
    sending.wake()
    await waitFor(() => fast.requests.length > seen, {
      what: 'the event at the fast endpoint',
      timeoutMs: 10_000,
      intervalMs: 1,
    })
    tookMs.push((fast.requests.at(-1)?.atMs ?? Number.NaN) - committedAtMs)
    await delay(PACE_MS)
  }
  await sending.stop()
  return tookMs
}

async function withSilent<Found>(run: (silent: Receiver) => Promise<Found>): Promise<Found> {
  const silent = await startReceiver(() => {})
  try {
    return await run(silent)
  } finally {
    await silent.stop()
  }
}
