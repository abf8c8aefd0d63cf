import { setTimeout as delay } from 'node:timers/promises'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { findToken } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import type { NodeFault } from '../support/dishonest-node/dishonest-node.ts'
import { LIE_ABOUT_EVERYTHING } from '../support/dishonest-node/every-lie.ts'
import { type FaultyNodes, planFaultyNodes } from '../support/faulty-nodes.ts'
import {
  type ChargeJson,
  createCharge,
  pay,
  query,
  USDC_ON_BASE,
  waitUntilSettled,
} from '../support/scenario.ts'
import { scrape } from '../support/scrape.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { type BenchOptions, resize } from './bench.ts'
import { watchBlocks } from './block-clock.ts'
import { type Comparison, median } from './compare.ts'
import { showProgress } from './show-progress.ts'

/** Target ratio of the times after a fault is detected to the times with three honest nodes. */
const AIM = 1.2
/** Target for the first payment after a fault: time from its block to its confirmation, without `STOPPED_AFTER_MS`. */
const AIM_FIRST_MS = 15_000
/** Time after which a node counts as stalled. Delays a payment only if the first node stalls. */
const STOPPED_AFTER_MS = 60_000
const PAYMENTS_PER_REPETITION = 6

const FAULTS: readonly NodeFault[] = [
  { type: 'lies', lie: LIE_ABOUT_EVERYTHING },
  { type: 'dies' },
  { type: 'hangs' },
  { type: 'freezes' },
]
const PLACES = { first: 0, last: 2 } as const

type Place = keyof typeof PLACES
type Delays = { readonly confirmedMs: number; readonly settledMs: number }
type Stage = {
  readonly devnet: Devnet
  readonly nodes: FaultyNodes['nodes']
  readonly clock: ReturnType<typeof watchBlocks>
  readonly payments: number
}

/**
 * Compares the times from a payment's block to the confirmed and settled events between two cases: one of three nodes
 * lies, rejects requests, hangs or stalls; all three nodes are honest. Restarts the daemon before each fault.
 */
export async function benchFaults(options: BenchOptions): Promise<readonly Comparison[]> {
  const faulty = planFaultyNodes(BASE, 3)
  const directory = await temporaryDirectory('bench-faults')
  const devnet = await startDevnet({ directory, chains: [faulty.plan], graceSeconds: 1 })
  const clock = watchBlocks(devnet.description.networks.base?.live?.rpcUrl ?? '')
  const payments = resize(options.repetitions * PAYMENTS_PER_REPETITION, options)
  const faults = FAULTS.slice(0, resize(FAULTS.length, options))
  try {
    return await compareFaults({ devnet, nodes: faulty.nodes, clock, payments }, faults)
  } finally {
    await clock.stop()
    await devnet.stop()
    await faulty.stop()
  }
}

async function compareFaults(stage: Stage, faults: readonly NodeFault[]): Promise<readonly Comparison[]> {
  const found: Comparison[] = []
  for (const fault of faults)
    for (const place of Object.keys(PLACES) as Place[])
      found.push(...(await compareFault(stage, { fault, place })))
  return found
}

/**
 * Compares payments during one fault with payments without it. Measures both within a short time, because the speed of
 * a busy machine changes within minutes.
 */
async function compareFault(
  stage: Stage,
  { fault, place }: { readonly fault: NodeFault; readonly place: Place },
): Promise<readonly Comparison[]> {
  const name = `${place} of three nodes ${fault.type}`
  showProgress(name)
  await stage.devnet.indexer.stop()
  await stage.devnet.indexer.start()
  await untilFeedIsLevel(stage)
  const honest = await measurePayments(stage)
  const node = stage.nodes[PLACES[place]]
  await node?.setFault(fault)
  const noticedMs = fault.type === 'freezes' && place === 'first' ? STOPPED_AFTER_MS : 0
  const { confirmedMs } = await measurePayment(stage)
  await untilFeedIsLevel(stage)
  const delays = await measurePayments(stage)
  await node?.setFault(null)
  return [
    {
      ...compared(`${name}: first payment to its confirmation`, [confirmedMs, noticedMs + AIM_FIRST_MS]),
      aim: 1,
    },
    ...compareDelays(name, delays, honest),
  ]
}

/**
 * Waits until the feed has reached the head: several seconds after its start, or once the feed has switched from a
 * stalled node to another node.
 */
async function untilFeedIsLevel({ devnet }: Stage): Promise<void> {
  const { client } = findToken(devnet.description, USDC_ON_BASE)
  const head = Number(await client.getBlockNumber({ cacheTime: 0 }))
  const isLevel = async () =>
    ((await scrape(devnet.indexer.internalUrl)).valueOf('feed_head_block', {}) ?? 0) >= head
  await waitFor(isLevel, { what: 'the feed to catch up', timeoutMs: 3 * STOPPED_AFTER_MS, intervalMs: 250 })
}

function compareDelays(
  name: string,
  delays: readonly Delays[],
  honest: readonly Delays[],
): readonly Comparison[] {
  const of = (all: readonly Delays[], figure: keyof Delays) => median(all.map((one) => one[figure]))
  return (['confirmedMs', 'settledMs'] as const).map((figure) =>
    compared(`${name}: mined to ${figure.slice(0, -2)} / three honest`, [
      of(delays, figure),
      of(honest, figure),
    ]),
  )
}

function compared(name: string, [ours, yardstick]: readonly [number, number]): Comparison {
  return { name, unit: 'ms', ours, yardstick, ratio: ours / yardstick, aim: AIM }
}

async function measurePayments(stage: Stage): Promise<readonly Delays[]> {
  const running: Promise<Delays>[] = []
  for (let index = 0; index < stage.payments; index += 1) {
    running.push(measurePayment(stage))
    await delay(250 + 37 * (index % 11))
  }
  return Promise.all(running)
}

/** Pays one charge. Returns the times from the payment's block to the charge's events. */
async function measurePayment({ devnet, clock }: Stage): Promise<Delays> {
  const charge = await createCharge(devnet)
  const hash = await queuePayment(devnet, charge)
  const { client } = findToken(devnet.description, USDC_ON_BASE)
  const { blockNumber } = await client.getTransactionReceipt({ hash })
  await waitUntilSettled(devnet, charge.id)
  const at = await readEventTimes(devnet, charge)
  const minedMs = clock.minedAt(blockNumber)
  return { confirmedMs: at('charge.confirmed') - minedMs, settledMs: at('charge.settled') - minedMs }
}

let lastPayment: Promise<unknown> = Promise.resolve()

/** Sends payments one after another, because they are transactions of one account with consecutive nonces. */
function queuePayment(devnet: Devnet, charge: ChargeJson): ReturnType<typeof pay> {
  const payment = lastPayment.then(() => pay(devnet, { charge }))
  lastPayment = payment.catch(() => undefined)
  return payment
}

async function readEventTimes(devnet: Devnet, { id }: ChargeJson): Promise<(type: string) => number> {
  const rows = await query(
    devnet,
    (sql) => sql<{ type: string; createdAt: Date }[]>`
      select type, created_at from events where charge_id = ${id}`,
  )
  return (type) => rows.find((row) => row.type === type)?.createdAt.getTime() ?? Number.NaN
}
