import { setTimeout as delay } from 'node:timers/promises'
import { createPublicClient, createWalletClient, erc20Abi, http, parseUnits } from 'viem'
import { CONFIRMED, waitForCharge } from '../../api/client/wait-for-charge.ts'
import { connect, type Sql } from '../../shared/db/connect.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { mergeNetworks } from '../../shared/runtime/merge-networks.ts'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { requireMined } from '../devnet/require-mined.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { createCharge } from '../support/scenario.ts'
import { type BenchOptions, resize } from './bench.ts'
import { watchBlocks } from './block-clock.ts'
import { type Comparison, type Measurement, median } from './compare.ts'
import { type PacedNetwork, startPacedNetwork, type Watcher } from './paced-network.ts'
import { readCpuMs } from './read-cpu.ts'
import { showProgress } from './show-progress.ts'

/**
 * The fastest chain at the registry's block time, and a chain with fast finality at the registry's block time and at a
 * shorter block time, which the chain might have by now.
 */
const PACES: readonly { readonly network: Network; readonly blockMs: number }[] = [
  { network: 'arbitrum', blockMs: 250 },
  { network: 'bnb', blockMs: 750 },
  { network: 'bnb', blockMs: 450 },
]

/** Minimum duration of the measurement of requests and processor time without payments. */
const MIN_REST_MS = 20_000
const DAY_MS = 86_400_000
/** Time between the starts of two payments. */
const PAYMENT_REST_MS = 1_300

/** Target ratios to the bare loop, for the requests and for the time from the block to the confirmed event. */
const AIM_REQUESTS = 1.5
const AIM_CONFIRMED = 1.1

type Found = Comparison | Measurement

/**
 * Compares the daemon on fast chains with a bare viem loop that watches the same blocks at the same interval: the times
 * from a payment's block to its row and to the confirmed event, the requests per block and per day, and the processor
 * time.
 *
 * Also splits the time until the row into the average wait for a poll (half the interval) and the remaining time, and
 * the requests by method. The processor time includes the daemon's Ponder. The confirmation depths are the registry's,
 * and the polling intervals follow from the block times.
 */
export async function benchNetworks(options: BenchOptions): Promise<readonly Found[]> {
  const found: Found[] = []
  const paces = PACES.slice(0, resize(PACES.length, options))
  for (const pace of paces) found.push(...(await benchPace(pace, options)))
  return found
}

async function benchPace(
  { network, blockMs }: (typeof PACES)[number],
  options: BenchOptions,
): Promise<readonly Found[]> {
  const pollingMs = pollingOf(network, blockMs)
  const chain = await startPacedNetwork(network, { blockMs, pollingMs })
  const name = `${network}, a block every ${blockMs} ms, polled every ${pollingMs} ms`
  showProgress(name)
  try {
    const rest = await measureRest(chain, Math.max(resize(MIN_REST_MS, options), options.seconds * 1000))
    const payments = await measurePayments(chain, {
      network,
      payments: resize(Math.max(4, options.repetitions * 2), options),
    })
    return [...presentRest(name, rest), ...presentPayments(name, payments, { pollingMs })]
  } finally {
    await chain.stop()
  }
}

function pollingOf(network: Network, blockTimeMs: number): number {
  const file = { [network]: { live: { blockTimeMs } } }
  const { deployments } = mergeNetworks({ registry: REGISTRY, file, selection: `${network}:live` })
  const [deployment] = deployments
  if (deployment === undefined) throw new Error(`${network} has no live deployment`)
  return deployment.pollingIntervalMs
}

type Spent = { readonly requests: ReadonlyMap<string, number>; readonly cpuMs: number }
type Rest = {
  readonly ours: Spent
  readonly bare: Spent
  readonly blocks: number
  readonly elapsedMs: number
}

async function measureRest({ ours, bare, rpcUrl }: PacedNetwork, restMs: number): Promise<Rest> {
  const node = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const before = { ours: look(ours), bare: look(bare), head: await node.getBlockNumber(), atMs: Date.now() }
  await delay(restMs)
  // On a busy machine, a short measurement might end before the next block is mined.
  const isMined = async () => (await node.getBlockNumber()) > before.head
  await waitFor(isMined, { what: 'a block', timeoutMs: 60_000 })
  const elapsedMs = Date.now() - before.atMs
  const blocks = Number((await node.getBlockNumber()) - before.head)
  return { ours: since(before.ours, ours), bare: since(before.bare, bare), blocks, elapsedMs }
}

function look({ pid, requests }: Watcher): Spent {
  return { requests: new Map(requests), cpuMs: readCpuMs(pid) }
}

function since(before: Spent, watcher: Watcher): Spent {
  const now = look(watcher)
  const requests = [...now.requests].map(
    ([method, count]) => [method, count - (before.requests.get(method) ?? 0)] as const,
  )
  return {
    requests: new Map(requests.filter(([, count]) => count > 0)),
    cpuMs: now.cpuMs - before.cpuMs,
  }
}

function presentRest(name: string, { ours, bare, blocks, elapsedMs }: Rest): readonly Found[] {
  const all = ({ requests }: Spent) => [...requests.values()].reduce((sum, count) => sum + count, 0)
  const share = ({ cpuMs }: Spent) => (100 * cpuMs) / elapsedMs
  const byMethod = [...ours.requests].toSorted(([, left], [, right]) => right - left)
  return [
    {
      ...compared(`${name}: requests per block / bare`, 'requests', [all(ours) / blocks, all(bare) / blocks]),
      aim: AIM_REQUESTS,
    },
    compared(`${name}: processor / bare`, '% of a core', [share(ours), share(bare)]),
    measured(`${name}: blocks mined per second`, 'per second', (blocks * 1000) / elapsedMs),
    measured(`${name}: requests per day`, 'requests', (all(ours) * DAY_MS) / elapsedMs),
    ...byMethod.map(([method, count]) =>
      measured(`${name}: ${method} per block`, 'requests', count / blocks),
    ),
  ]
}

type Moments = { readonly seenMs: number; readonly confirmedMs: number }
type Payment = { readonly ours: Moments; readonly bare: Moments }

async function measurePayments(
  chain: PacedNetwork,
  { network, payments }: { readonly network: Network; readonly payments: number },
): Promise<readonly Payment[]> {
  const { devnet, rpcUrl } = chain
  const sql = connect({ url: devnet.databaseUrls.owner, applicationName: 'bench', maxConnections: 4 })
  const clock = watchBlocks(rpcUrl)
  try {
    const running: Promise<Payment>[] = []
    for (let index = 0; index < payments; index += 1) {
      running.push(measurePayment(chain, { network, sql, minedAt: clock.minedAt }))
      await delay(PAYMENT_REST_MS)
    }
    return await Promise.all(running)
  } finally {
    await clock.stop()
    await sql.end()
  }
}

type Measuring = {
  readonly network: Network
  readonly sql: Sql
  readonly minedAt: (block: bigint) => number
}

async function measurePayment(chain: PacedNetwork, { network, sql, minedAt }: Measuring): Promise<Payment> {
  const [{ token: symbol } = { token: 'USDC' as const }] = chain.devnet.chains[0]?.deployed ?? []
  const pair = { token: symbol, network }
  const charge = await createCharge(chain.devnet, { acceptedPayments: [pair] })
  const confirmed = waitForCharge(createApiCaller(chain.devnet.description), charge.id, {
    ...CONFIRMED,
    timeoutMs: 90_000,
  }).then(() => Date.now())
  const block = await transfer(chain, charge.address)
  const seenAtMs = await untilSeen(sql, charge.id)
  const confirmedAtMs = await confirmed
  const mined = minedAt(block)
  const bareOf = (figure: 'seen' | 'confirmed') =>
    waitFor(
      async () =>
        chain.bareLines.find((line) => line.what === figure && line.to === charge.address.toLowerCase()),
      { what: 'the bare loop to see the payment', timeoutMs: 60_000 },
    )
  const [bareSeen, bareConfirmed] = [await bareOf('seen'), await bareOf('confirmed')]
  return {
    ours: { seenMs: seenAtMs - mined, confirmedMs: confirmedAtMs - mined },
    bare: { seenMs: bareSeen.atMs - mined, confirmedMs: bareConfirmed.atMs - mined },
  }
}

/** Sends a payment of 10 tokens, and returns its block. */
async function transfer(chain: PacedNetwork, to: `0x${string}`): Promise<bigint> {
  const wallet = createWalletClient({ account: toSigner(ACCOUNTS.payer), transport: http(chain.rpcUrl) })
  const node = createPublicClient({ transport: http(chain.rpcUrl), cacheTime: 0 })
  const hash = await wallet.writeContract({
    ...{ chain: null, address: chain.token, abi: erc20Abi, functionName: 'transfer' },
    args: [to, parseUnits('10', chain.decimals)],
  })
  return (await requireMined(node, hash)).blockNumber
}

async function untilSeen(sql: Sql, chargeId: string): Promise<number> {
  return waitFor(
    async () => {
      const [row] = await sql`select 1 from transfers where charge_id = ${chargeId}`
      return row !== undefined && Date.now()
    },
    { what: `${chargeId} to be seen`, timeoutMs: 60_000, intervalMs: 5 },
  )
}

function presentPayments(
  name: string,
  payments: readonly Payment[],
  { pollingMs }: { readonly pollingMs: number },
): readonly Found[] {
  const of = (whose: 'ours' | 'bare', figure: keyof Moments) =>
    median(payments.map((payment) => payment[whose][figure]).filter((ms) => !Number.isNaN(ms)))
  const seen = of('ours', 'seenMs')
  const waited = of('ours', 'confirmedMs') - seen
  return [
    compared(`${name}: mined to seen / bare`, 'ms', [seen, of('bare', 'seenMs')]),
    {
      ...compared(`${name}: mined to confirmed / bare`, 'ms', [
        of('ours', 'confirmedMs'),
        of('bare', 'confirmedMs'),
      ]),
      aim: AIM_CONFIRMED,
    },
    measured(`${name}: average wait for a poll until seen`, 'ms', pollingMs / 2),
    measured(`${name}: remaining time until seen`, 'ms', seen - pollingMs / 2),
    measured(`${name}: from seen to confirmed`, 'ms', waited),
  ]
}

function compared(
  name: string,
  unit: Comparison['unit'],
  [ours, yardstick]: readonly [number, number],
): Comparison {
  return { name, unit, ours, yardstick, ratio: ours / yardstick, aim: null }
}

function measured(name: string, unit: string, value: number): Measurement {
  return { name, unit, value: Number(value.toFixed(value < 100 ? 2 : 0)) }
}
