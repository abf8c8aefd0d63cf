import { setTimeout as delay } from 'node:timers/promises'
import { erc20Abi } from 'viem'
import { CONFIRMED, waitForCharge } from '../../api/client/wait-for-charge.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { CHAINS } from '../devnet/networks.ts'
import { findToken } from '../devnet/send-tokens.ts'
import { type ChargeJson, createCharge, pay, USDC_ON_BASE, waitUntilSettled } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, type Measurement, median } from './compare.ts'
import { type BlockClock, watchBlocks } from './watch-blocks.ts'

/** Target of the specification: ratio of the time until our event to the time of a loop that only polls. */
const AIM = 1.1

const CONFIRMATIONS = 2
/** Polling interval of the bare loop in ms. The service polls the devnet's chain at the same interval. */
const POLLING_INTERVAL_MS = 500

/**
 * Compares the time from the mined block to `charge.confirmed` on the stream with the time of a bare viem polling loop.
 *
 * Both programs watch the same payments with the same confirmation depth. Polling the node every 5 ms determines when
 * the paying block was mined. Both times include the following block, which takes a second.
 */
export async function benchLatency(options: BenchOptions): Promise<readonly (Comparison | Measurement)[]> {
  const directory = await temporaryDirectory('bench-latency')
  const chains = CHAINS.slice(0, resize(CHAINS.length, options))
  const devnet = await startDevnet({ directory, chains, confirmations: CONFIRMATIONS, graceSeconds: 1 })
  const clock = watchBlocks(devnet)
  try {
    const pairs = []
    for (let i = 0; i < resize(options.repetitions * 3, options); i += 1)
      pairs.push(await measure(devnet, clock))
    const [ours, bare] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.bare))]
    return [
      {
        name: 'mined to confirmed event / bare viem polling loop',
        unit: 'ms',
        ours,
        yardstick: bare,
        ratio: ours / bare,
        aim: AIM,
      },
      {
        name: 'mined to settled: one second of grace period, then a payout that is mined and at confirmation depth',
        unit: 'ms',
        value: Math.round(median(pairs.map(({ settled }) => settled))),
      },
    ]
  } finally {
    await clock.stop()
    await devnet.stop()
  }
}

type Taken = { readonly ours: number; readonly bare: number; readonly settled: number }

/** Pays one charge. Returns the times of its events in milliseconds after the paying block. */
async function measure(devnet: Devnet, clock: BlockClock): Promise<Taken> {
  const charge = await createCharge(devnet)
  const watched = Promise.all([followStream(devnet, charge), pollBare(devnet, charge)])
  await pay(devnet, { charge })
  const [confirmedAt, { polledAt, block }] = await watched
  await waitUntilSettled(devnet, charge.id)
  const settledAt = performance.now()
  const minedAt = clock.minedAt(block)
  return { ours: confirmedAt - minedAt, bare: polledAt - minedAt, settled: settledAt - minedAt }
}

async function followStream({ description }: Devnet, { id }: ChargeJson): Promise<number> {
  await waitForCharge(createApiCaller(description), id, { ...CONFIRMED, timeoutMs: 60_000 })
  return performance.now()
}

/** Polls like a simple script: ignores reorganizations and restarts, and watches only one charge. */
async function pollBare(
  devnet: Devnet,
  { address }: ChargeJson,
): Promise<{ polledAt: number; block: bigint }> {
  const { client, token } = findToken(devnet.description, USDC_ON_BASE)
  const fromBlock = await client.getBlockNumber({ cacheTime: 0 })
  for (;;) {
    const head = await client.getBlockNumber({ cacheTime: 0 })
    const [log] = await client.getContractEvents({
      address: token.address,
      abi: erc20Abi,
      eventName: 'Transfer',
      args: { to: address },
      fromBlock,
      toBlock: head,
    })
    if (log && head - log.blockNumber + 1n >= BigInt(CONFIRMATIONS)) {
      return { polledAt: performance.now(), block: log.blockNumber }
    }
    await delay(POLLING_INTERVAL_MS)
  }
}
