import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { recordServiceTerms } from '../../shared/db/charges/daemon/service-terms.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { insertApiKey } from '../../shared/db/organizations/daemon/api-keys.ts'
import { createApiKey, hashApiKey } from '../../shared/domain/api-key.ts'
import { newId } from '../../shared/domain/ids.ts'
import { readApiConfig } from '../../shared/runtime/api-config.ts'
import { listServiceTerms } from '../../shared/runtime/service-terms.ts'
import { compiled } from '../devnet/compiled.ts'
import { address, insertDeployments, MERCHANT, TREASURY } from '../support/api.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { startRpcProxy } from '../support/rpc-proxy.ts'
import type { BenchOptions } from './bench.ts'
import { type Comparison, compare } from './compare.ts'

/** Target ratios of our rates to the rates of the bare routes. */
const AIM_CREATE = 0.65
const AIM_READ = 0.7

/** The cursor secret of the servers. Benches need it to build their own cursors. */
export const CURSOR_SECRET = 'a secret of thirty-two characters'

/** Number of connections, enough to keep the server, PostgreSQL and two cores busy. */
const CONNECTIONS = 64

/**
 * Compares the rates of creating and reading charges with the rates of bare Koa routes on the same database.
 *
 * PostgreSQL runs without fsync, so that the ratio does not depend on the disk. autocannon shares the two cores with
 * the server under test and PostgreSQL.
 */
export async function benchApi(options: BenchOptions): Promise<readonly Comparison[]> {
  const database = await createTestDatabase()
  const key = await prepareApi(database.sql)
  await createBareTable(database.sql)
  const node = await startNode()
  const env = { ...environment(database.url.api), NETWORKS_CONFIG: node.networksFile }
  const [ours, bare] = await Promise.all([startServer('api', env), startServer('bare', env)])
  try {
    const body = JSON.stringify({
      amount: 12.34,
      acceptedPayments: [{ token: 'USDC', network: 'base' }],
      expiresIn: 900,
      externalRef: 'order 1234',
      metadata: { cart: 'a1b2c3', items: 3 },
    })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    // Even the shortest run needs a charge to read.
    for (const url of [`${ours.url}/v1/charges`, `${bare.url}/charges`])
      await fetch(url, { method: 'POST', body, headers })
    const create = await compare({
      name: 'create a charge / bare Koa, one SELECT and one INSERT',
      aim: AIM_CREATE,
      repetitions: options.repetitions,
      ours: () => rate({ url: `${ours.url}/v1/charges`, method: 'POST', body, headers }, options.seconds),
      yardstick: () => rate({ url: `${bare.url}/charges`, method: 'POST', body, headers }, options.seconds),
    })
    const ids = await idsOf(database.sql)
    const reads = (url: string, ofRows: readonly string[]) => ({
      url,
      requests: ofRows.map((id) => ({ path: new URL(id, url).pathname, headers })),
    })
    const read = await compare({
      name: 'read a charge / bare Koa, one SELECT',
      aim: AIM_READ,
      repetitions: options.repetitions,
      ours: () => rate(reads(`${ours.url}/v1/charges/`, ids.charges), options.seconds),
      yardstick: () => rate(reads(`${bare.url}/charges/`, ids.bare), options.seconds),
    })
    return [create, read]
  } finally {
    ours.process.kill()
    bare.process.kill()
    await node.stop()
    await database.drop()
  }
}

/** Prepares a database for an API server. Returns a live key of the new organization `organization`. */
export async function prepareApi(sql: Sql, organization = 'org_bench'): Promise<string> {
  await insertDeployments(sql)
  // No chain feed runs. This prevents stale data during the benchmark.
  await sql`update deployments set max_head_at = now() + interval '1 day'`
  await sql`insert into organizations (id, name) values (${organization}, 'bench')`
  // Without recorded terms, the database would not validate the fee, factory and treasury of charges.
  const { fees, treasury, splitFactories } = readApiConfig(environment('postgres://bench'))
  await recordServiceTerms(sql, listServiceTerms({ fees, treasury, splitFactories }))
  const key = createApiKey('live')
  await insertApiKey(sql, {
    id: newId('key', Date.now()),
    organizationId: organization,
    environment: 'live',
    keyHash: hashApiKey(key),
    hint: 'bench',
    payoutAddress: address(MERCHANT),
    scopes: ['charges:read', 'charges:write', 'metrics:read'],
  })
  return key
}

async function createBareTable(sql: Sql): Promise<void> {
  await sql`
    create table bench_charges (
      id text primary key, api_key_id text not null, amount numeric not null, body jsonb not null,
      created_at timestamptz not null default now())`
  await sql`grant select, insert on bench_charges to svc_api`
}

/** Starts a fake node of base that reports every account as unrestricted. The API queries it every five minutes. */
export async function startNode(): Promise<{ networksFile: string; stop: () => Promise<void> }> {
  const node = await startRpcProxy('http://127.0.0.1:9')
  // The API does not trust a node without a correct chain id, and would query it again for every request.
  node.rule((method) => ({ result: method === 'eth_chainId' ? '0x2105' : `0x${'0'.repeat(64)}` }))
  const directory = await mkdtemp(join(tmpdir(), 'bench-'))
  const networksFile = join(directory, 'networks.json')
  await writeFile(networksFile, JSON.stringify({ base: { live: { rpcUrls: [node.url], quorum: 1 } } }))
  const stop = async () => {
    await node.stop()
    await rm(directory, { recursive: true })
  }
  return { networksFile, stop }
}

/** Returns the settings of a server. */
export function environment(databaseUrl: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    API_DATABASE_URL: databaseUrl,
    TREASURY_ADDRESS: TREASURY,
    CURSOR_SECRET,
    // The maximum quota, because the bench measures how requests are counted, not how they are rejected.
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
}

/** Starts a server in its own process. */
export async function startServer(
  kind: 'api' | 'bare',
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; process: ChildProcess }> {
  const child = fork(await compiled('test/bench/api-process.ts'), [kind], {
    ...{ env, execArgv: [] },
    // Our server logs each request, as in production; the log is discarded.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (url) => resolve(url as string))
    child.once('exit', (code) => reject(new Error(`the ${kind} server exited with ${code}`)))
  })
  return { url, process: child }
}

/**
 * Repeats a request for `seconds`, and returns the requests per second. Throws if any request was rejected, because
 * rejections take little work and would raise the rate.
 */
export async function rate(request: autocannon.Options, seconds: number): Promise<number> {
  const startedAtMs = performance.now()
  const result = await autocannon({
    ...{ connections: CONNECTIONS, ...request, duration: seconds },
    sampleInt: Math.min(1000, seconds * 1000), // autocannon stops only after a sample.
  })
  const tookSeconds = (performance.now() - startedAtMs) / 1000
  if (result.non2xx + result.errors > 0) {
    throw new Error(`${result.non2xx} rejections and ${result.errors} errors at ${request.url}`)
  }
  return result.requests.total / tookSeconds
}

/** Returns many ids, so that simultaneous reads rarely read the same row. */
async function idsOf(sql: Sql): Promise<{ charges: readonly string[]; bare: readonly string[] }> {
  const charges = await sql<{ id: string }[]>`select id from charges limit 1000`
  const bare = await sql<{ id: string }[]>`select id from bench_charges limit 1000`
  return { charges: charges.map(({ id }) => id), bare: bare.map(({ id }) => id) }
}
