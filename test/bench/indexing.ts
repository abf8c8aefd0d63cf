import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FeedSettings } from '../../indexer/ponder/feed-settings.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type PonderChain, startPonderChain, transferLog } from '../support/ponder-chain.ts'
import { insertPonderCharge, randomAddress, USDC } from '../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, compare } from './compare.ts'

const BLOCKS = 1_000
const TRANSFERS_PER_BLOCK = 100
/** One block in ten has one transfer of ours, which is 0.1 % of all transfers. */
const BLOCKS_PER_OURS = 10
/** Blocks on top that Ponder reads in real time, so that all counted blocks belong to the backfill. */
const UNFINAL_BLOCKS = 31

const BACKFILL_TIMEOUT_MS = 180_000
const PONDER_ROOT = fileURLToPath(new URL('../../indexer/ponder', import.meta.url))
const UNFILTERED_CONFIG = 'bench-unfiltered.config.ts'

/**
 * Compares how fast 100,000 transfers of a token are indexed, 0.1 % of them ours: Ponder with our transport, Ponder
 * without it, and a loop that only fetches the logs block by block.
 *
 * Ponder's times are measured from its start until it is ready, always with an empty database.
 */
export async function benchIndexing(options: BenchOptions): Promise<readonly Comparison[]> {
  const directory = await temporaryDirectory('bench-indexing')
  const blocks = resize(BLOCKS, options)
  const transfers = blocks * TRANSFERS_PER_BLOCK
  const chain = await startPonderChain({ directory })
  try {
    const charges = await fillChain(chain, blocks)
    await writeFile(`${PONDER_ROOT}/${UNFILTERED_CONFIG}`, await unfilteredConfig())
    const rate = (work: () => Promise<void>) => perSecond(transfers, work)
    const ours = () => rate(() => backfill({ chain, charges, transfers, config: 'ponder.config.ts' }))
    const repetitions = Math.min(options.repetitions, 3)
    const unfiltered = await compare({
      ...{
        name: `index ${transfers} transfers, 0.1 % ours / Ponder without our filter`,
        aim: 1,
        repetitions,
      },
      ours,
      yardstick: () => rate(() => backfill({ chain, charges, transfers, config: UNFILTERED_CONFIG })),
    })
    const raw = await compare({
      // The loop stores nothing. Ponder needs 3 s to start, and requests 20 blocks per second.
      ...{ name: `index ${transfers} transfers, 0.1 % ours / a loop of getLogs`, aim: 0.5, repetitions },
      ours,
      yardstick: () => rate(() => fetchLogs(chain, transfers)),
    })
    return [unfiltered, raw]
  } finally {
    await rm(`${PONDER_ROOT}/${UNFILTERED_CONFIG}`, { force: true })
    await chain.stop()
  }
}

/** Returns transfers per second. */
async function perSecond(transfers: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (transfers * 1000) / (performance.now() - startedAt)
}

/** Returns the addresses of the paid charges, each with one transfer. */
async function fillChain(chain: PonderChain, blocks: number): Promise<readonly Address[]> {
  const charges: Address[] = []
  for (let block = 0; block < blocks; block += 1) {
    const recipients = Array.from({ length: TRANSFERS_PER_BLOCK }, randomAddress)
    const [ours] = recipients
    if (ours && block % BLOCKS_PER_OURS === 0) charges.push(ours)
    await chain.speak(
      USDC,
      recipients.map((to) => transferLog({ to, amount: 1n })),
    )
    await chain.mine()
  }
  await chain.mine(UNFINAL_BLOCKS)
  return charges
}

async function unfilteredConfig(): Promise<string> {
  const text = await readFile(`${PONDER_ROOT}/ponder.config.ts`, 'utf8')
  const changed = text.replace(/rpc: createFilterTransport\(.*\)(?=,\n)/, 'rpc: [...feed.rpcUrls]')
  if (changed === text) throw new Error('ponder.config.ts no longer sets rpc: createFilterTransport(…)')
  return changed
}

type Run = {
  readonly chain: PonderChain
  readonly charges: readonly Address[]
  /** Number of all transfers of the chain, ours included. */
  readonly transfers: number
  readonly config: string
}

/** Starts Ponder on an empty database, waits until it has caught up, and verifies its rows. */
async function backfill({ chain, charges, transfers, config }: Run): Promise<void> {
  const database = await createTestDatabase()
  await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
  for (const address of charges) await insertPonderCharge(database.sql, { chainId: chain.chainId, address })
  const sql = connectForTest(database.url.daemon)
  const ponder = startPonder(config, {
    ...{
      chainId: chain.chainId,
      family: 'evm' as const,
      rpcUrls: [chain.rpcUrl],
      emitters: [USDC],
      startBlock: 0,
    },
    ...{ pollingIntervalMs: 250, databaseUrl: database.url.ponder },
  })
  try {
    await waitFor(() => isReady(sql), {
      ...{ what: 'Ponder to catch up', timeoutMs: BACKFILL_TIMEOUT_MS, intervalMs: 50 },
    })
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from bench.transfer`
    const expected = config === UNFILTERED_CONFIG ? transfers : charges.length
    if (row?.count !== expected) throw new Error(`Ponder shows ${row?.count} transfers, not ${expected}`)
  } finally {
    await end(ponder)
    await sql.end()
    await database.drop()
  }
}

async function isReady(sql: Sql): Promise<boolean> {
  const [meta] = await sql`select from bench._ponder_meta where key = 'app' and value ->> 'is_ready' = '1'`
  return meta !== undefined
}

function startPonder(config: string, feed: FeedSettings): ChildProcess {
  const program = fileURLToPath(new URL('../../node_modules/ponder/dist/esm/bin/ponder.js', import.meta.url))
  const places = ['--root', PONDER_ROOT, '--config', config, '--schema', 'bench', '--views-schema', 'bench_v']
  const quiet = ['--port', '0', '--hostname', '127.0.0.1', '--log-level', 'error']
  return spawn(process.execPath, [program, 'start', ...places, ...quiet], {
    env: { PATH: process.env['PATH'], PONDER_TELEMETRY_DISABLED: '1', PONDER_FEED: JSON.stringify(feed) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

async function end(ponder: ChildProcess): Promise<void> {
  if (ponder.exitCode !== null || ponder.signalCode !== null) return
  const gone = once(ponder, 'exit')
  ponder.kill('SIGINT')
  const force = setTimeout(() => ponder.kill('SIGKILL'), 10_000)
  await gone
  clearTimeout(force)
}

/** Fetches the token's logs block by block with one request at a time, like a simple script. */
async function fetchLogs({ node }: PonderChain, transfers: number): Promise<void> {
  const tip = await node.getBlockNumber()
  let found = 0
  for (let block = 0n; block <= tip; block += 1n) {
    found += (await node.getLogs({ address: USDC, fromBlock: block, toBlock: block })).length
  }
  if (found !== transfers) throw new Error(`the loop found ${found} logs`)
}
