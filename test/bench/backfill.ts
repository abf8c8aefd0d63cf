import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FeedSettings } from '../../indexer/ponder/feed-settings.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type PonderChain, transferLog } from '../support/ponder-chain.ts'
import { insertPonderCharge, randomAddress, USDC } from '../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase } from '../support/postgres.ts'

export const TRANSFERS_PER_BLOCK = 100
/** One block in ten contains a transfer to a charge, so 0.1 % of all transfers are payments. */
const BLOCKS_PER_OURS = 10
/** Blocks mined on top, which Ponder reads in real time, so that all counted blocks belong to the backfill. */
const UNFINAL_BLOCKS = 31

const BACKFILL_TIMEOUT_MS = 180_000
export const PONDER_ROOT = fileURLToPath(new URL('../../indexer/ponder', import.meta.url))

/** The shipped configuration, whose transport fetches only the logs that might belong to a charge. */
export const FILTERED_CONFIG = 'ponder.config.ts'

/** Runs `work`, and returns the number of transfers per second. */
export async function perSecond(transfers: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (transfers * 1000) / (performance.now() - startedAt)
}

/** Mines blocks of transfers. Returns the addresses of the charges, which have received one transfer each. */
export async function fillChain(chain: PonderChain, blocks: number): Promise<readonly Address[]> {
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

export type Backfill = {
  readonly chain: PonderChain
  readonly charges: readonly Address[]
  /** Number of all transfers on the chain, including the payments of charges. */
  readonly transfers: number
  readonly config: string
}

/** Starts Ponder on an empty database, waits until its backfill is complete, and verifies the number of its rows. */
export async function backfill({ chain, charges, transfers, config }: Backfill): Promise<void> {
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
    const expected = config === FILTERED_CONFIG ? charges.length : transfers
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
