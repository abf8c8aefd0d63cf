import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '../../shared/db/connect.ts'
import { compiled } from '../devnet/compiled.ts'
import { insertManyCharges, LARGEST } from '../support/many-charges.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { environment, prepareApi, startNode, startServer } from './api.ts'
import { type BenchOptions, resize } from './bench.ts'
import type { Measurement } from './compare.ts'
import type { Exported } from './export-reader.ts'

/** Default number of charges. Their insertion takes several minutes. */
const MANY = 1_000_000

/**
 * Number of clients. Each pauses after each creation, because the bench measures the delay of a request, not the
 * capacity of the machine.
 */
const CREATORS = 4
const PAUSE_MS = 100

/**
 * Creations without an export are measured before and after the export, each time for this multiple of the bench's
 * `seconds`. V8 collects its old generation only at 1.5 times the size of its live objects (`limitHeapGrowth`), which
 * takes many creations. A shorter measurement would attribute this growth to the export.
 */
const ALONE_FACTOR = 20

const CHARGE = JSON.stringify({
  amount: 10,
  expiresIn: 3600,
  acceptedPayments: [{ token: 'USDC', network: 'base' }],
})

/**
 * Exports the accounting entries of many charges, each with a payment and a payout, while charges are created. Returns
 * the rate, the growth of the API's peak memory, and percentiles of the creation times without and with the export.
 */
export async function benchAccounting(options: BenchOptions): Promise<readonly Measurement[]> {
  const rows = options.rows ?? resize(MANY, options)
  const aloneSeconds = options.seconds * resize(ALONE_FACTOR, options)
  const database = await createTestDatabase()
  const node = await startNode()
  const key = await prepareApi(database.sql, LARGEST)
  await insertManyCharges(database.sql, rows)
  await insertManyEntries(database.sql)
  const env = { ...environment(database.url.api), NETWORKS_CONFIG: node.networksFile, LOG_LEVEL: 'error' }
  const { url, process } = await startServer('api', env)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  try {
    const create = (isOver: () => boolean) => createUntil(url, { headers, pid: process.pid, isOver })
    await create(after(options.seconds)) // Warms up.
    const before = await create(after(aloneSeconds))
    const startedAtMs = performance.now()
    let isOver = false
    const exporting = readExport(url, headers.authorization).finally(() => {
      isOver = true
    })
    const beside = await create(() => isOver)
    const exported = await exporting
    const seconds = (performance.now() - startedAtMs) / 1000
    const again = await create(after(aloneSeconds))
    const alone = { times: [...before.times, ...again.times], peakMb: before.peakMb }
    return [
      measure(`export of ${exported.entries} entries of ${rows} charges`, 's', seconds),
      measure('rate of the export, a row per leg', 'rows/s', exported.rows / seconds),
      measure('size of the export', 'MB', exported.bytes / 1e6),
      measure(
        `growth of the API's peak resident memory above ${alone.peakMb} MB without the export`,
        'MB',
        beside.peakMb - alone.peakMb,
      ),
      ...[50, 99].flatMap((percent) => [
        measure(
          `p${percent} of ${alone.times.length} creations without the export`,
          'ms',
          percentile(alone.times, percent),
        ),
        measure(
          `p${percent} of ${beside.times.length} creations during the export`,
          'ms',
          percentile(beside.times, percent),
        ),
      ]),
    ]
  } finally {
    process.kill()
    await node.stop()
    await database.drop()
  }
}

async function insertManyEntries(sql: Sql): Promise<void> {
  await sql.begin(async (db) => {
    await db`set local statement_timeout = 0`
    // The trigger would sum a million entries after one statement, and the export does not read the sums.
    await db`alter table accounting_entries disable trigger user`
    for (const [prefix, category, legs] of ENTRIES) {
      await db`
        insert into accounting_entries (entry_id, organization_id, environment, charge_id, category, network, token,
          chain_id, token_address, tx_hash, block_number, decimals, legs, posted_at, counted_at)
        select ${prefix}::text || md5(id), ${LARGEST}, 'live', id, ${category}::text, 'base', 'USDC', 8453,
          '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', '0x' || md5(id) || md5(id), 1, 6, ${db.json(legs)}, created_at,
          created_at from charges`
    }
    await db`alter table accounting_entries enable trigger user`
  })
  await sql`analyze accounting_entries`
}

const PARTY = `0x${'a1'.repeat(20)}`
const ENTRIES = [
  [
    'tr_',
    'payment',
    [
      { account: 'clearing', amount: '10000000', party: PARTY },
      { account: 'liability', amount: '-10000000', party: PARTY },
    ],
  ],
  [
    'di_',
    'payout',
    [
      { account: 'clearing', amount: '-10000000', party: null },
      { account: 'incentive', amount: '10000', party: PARTY },
      { account: 'wallet', amount: '9900000', party: PARTY },
      { account: 'fee', amount: '90000', party: PARTY },
    ],
  ],
] as const

type Load = {
  readonly headers: Readonly<Record<string, string>>
  readonly pid: number | undefined
  readonly isOver: () => boolean
}

/**
 * Creates charges until `isOver` returns true. Returns the duration of each creation in milliseconds, and the API's
 * peak resident memory.
 */
async function createUntil(
  url: string,
  { headers, pid, isOver }: Load,
): Promise<{ readonly times: readonly number[]; readonly peakMb: number }> {
  const times: number[] = []
  let peakMb = 0
  const create = async (): Promise<void> => {
    while (!isOver()) {
      const startedAtMs = performance.now()
      const response = await fetch(`${url}/v1/charges`, { method: 'POST', headers, body: CHARGE })
      if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
      await response.arrayBuffer()
      times.push(performance.now() - startedAtMs)
      peakMb = Math.max(peakMb, readResidentMb(pid))
      await delay(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: CREATORS }, create))
  return { times, peakMb }
}

/** Reads the export in a separate process. The measured time includes the start of the process. */
async function readExport(url: string, authorization: string): Promise<Exported> {
  const path = `${url}/v1/accounting/entries?from=2026-01-01&to=2026-12-31`
  const child = fork(await compiled('test/bench/export-reader.ts'), [path, authorization], { execArgv: [] })
  const [exported] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the reader exited with ${code}`)
    }),
  ])
  return exported as Exported
}

function after(seconds: number): () => boolean {
  const endMs = performance.now() + seconds * 1000
  return () => performance.now() > endMs
}

function percentile(times: readonly number[], percent: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length * percent) / 100)] ?? 0
}

function measure(name: string, unit: string, value: number): Measurement {
  return { name, unit, value: Math.round(value) }
}

/** @see proc(5), VmRSS in kB */
function readResidentMb(pid: number | undefined): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(match?.[1]) / 1024)
}
