import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { CHAINS } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { createCharge, pay, query, waitUntilSettled } from '../support/scenario.ts'
import { countSleeps, untilAsleep } from '../support/sleeping-networks.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, type Measurement, median } from './compare.ts'
import { type BlockClock, watchBlocks } from './watch-blocks.ts'

/** Seconds after which a network without charges to watch sleeps. */
const SLEEP_AFTER_SECONDS = 5
const SEEN_WITHIN_MS = 60_000

/**
 * Compares the time from a payment's block to the recorded payment on base, with a block per second: after the paid
 * charge has just woken the network, and while the network is awake.
 *
 * In each round, the network sleeps, a charge wakes it and is paid immediately, and a second charge is created and paid
 * while the network is awake. The database uses this machine's clock.
 */
export async function benchWaking(options: BenchOptions): Promise<readonly (Comparison | Measurement)[]> {
  const directory = await temporaryDirectory('bench-waking')
  const settings = { indexer: { NETWORK_SLEEP_AFTER_SECONDS: String(SLEEP_AFTER_SECONDS) } }
  const devnet = await startDevnet({ directory, chains: CHAINS.slice(0, 1), graceSeconds: 1, settings })
  const clock = watchBlocks(devnet)
  try {
    const rounds: Round[] = []
    for (let i = 0; i < resize(options.repetitions * 2, options); i += 1)
      rounds.push(await measure(devnet, clock))
    return [...present(rounds), await countWakes(directory)]
  } finally {
    await clock.stop()
    await devnet.stop()
  }
}

/** Milliseconds from the mined block to the recorded payment. */
type Round = { readonly waking: number; readonly watched: number }

async function measure(devnet: Devnet, clock: BlockClock): Promise<Round> {
  await untilAsleep(devnet, ['base'])
  const waking = await payAndWait(devnet, clock)
  const watched = await payAndWait(devnet, clock)
  for (const { id } of [waking, watched]) await waitUntilSettled(devnet, id)
  return { waking: waking.seenMs, watched: watched.seenMs }
}

type Seen = { readonly blockNumber: number; readonly detectedAt: Date }

async function payAndWait(
  devnet: Devnet,
  clock: BlockClock,
): Promise<{ readonly id: string; readonly seenMs: number }> {
  const charge = await createCharge(devnet)
  await pay(devnet, { charge })
  const find = () =>
    query(devnet, async (sql) => {
      const [row] = await sql<Seen[]>`
        select block_number, detected_at from transfers where charge_id = ${charge.id}`
      return row ?? null
    })
  const { blockNumber, detectedAt } = await waitFor(find, {
    what: 'the payment to be recorded',
    timeoutMs: SEEN_WITHIN_MS,
  })
  const minedAt = performance.timeOrigin + clock.minedAt(BigInt(blockNumber))
  return { id: charge.id, seenMs: detectedAt.getTime() - minedAt }
}

function present(rounds: readonly Round[]): readonly (Comparison | Measurement)[] {
  const waking = rounds.map((round) => round.waking)
  const watched = rounds.map((round) => round.watched)
  const [ours, yardstick] = [median(waking), median(watched)]
  const name = 'mined to recorded: on a network just woken / on an awake network'
  return [
    { name, unit: 'ms', ours, yardstick, ratio: ours / yardstick, aim: null },
    { name: 'the slowest on a network just woken', unit: 'ms', value: Math.round(Math.max(...waking)) },
    { name: 'the slowest on an awake network', unit: 'ms', value: Math.round(Math.max(...watched)) },
  ]
}

async function countWakes(directory: string): Promise<Measurement> {
  const { awake } = await countSleeps(directory)
  return { name: 'times that the network woke', unit: '', value: awake }
}
