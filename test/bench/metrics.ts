import type { Sql } from '../../shared/db/connect.ts'
import { startTestApi, type TestApi } from '../support/api.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, compare } from './compare.ts'

/** Target ratio: the API may take at most twice as long as PostgreSQL alone. */
const AIM = 0.5

const ORGANIZATIONS = 50
/** Default number of charges. Inserting one million (`--rows 1000000`) takes ten minutes on a busy machine. */
const DEFAULT_CHARGES = 200_000

/** The charges are spread evenly over this number of days before `TO`. */
const DAYS = 90
const FROM = '2026-08-01T00:00:00.000Z'
const TO = '2026-11-01T00:00:00.000Z'

/** Number of queries per measurement, each for another organization. */
const QUERIES = 10

type Question = {
  readonly name: string
  readonly body: object
  readonly bare: (sql: Sql, organization: string) => Promise<unknown>
}

/**
 * Compares metrics queries through HTTP with the minimal SQL for the same result, for a service with 50 organizations.
 *
 * The SQL runs on an open connection. The API also authenticates the request, counts it against two rate limits, and
 * runs the query in a read-only transaction.
 */
export async function benchMetrics(options: BenchOptions): Promise<readonly Comparison[]> {
  const api = await startTestApi({
    RATE_LIMIT_METRICS_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  try {
    const count = options.rows ?? resize(DEFAULT_CHARGES, options)
    const keys = await issueKeys(api)
    await fillTables(api.owner, count)
    const found: Comparison[] = []
    for (const { name, body, bare } of QUESTIONS) {
      found.push(
        await compare({
          name: `${name}, ${count} charges of ${ORGANIZATIONS} organizations / the bare SQL`,
          aim: AIM,
          repetitions: options.repetitions,
          ours: () => rate((index) => ask(api.baseUrl, keys[index % ORGANIZATIONS] ?? '', body)),
          yardstick: () => rate((index) => bare(api.owner, `org_${index % ORGANIZATIONS}`)),
        }),
      )
    }
    return found
  } finally {
    await api.stop()
  }
}

const day = (field: string) => ({ type: 'date_bucket', field, granularity: 'day' })

const QUESTIONS: readonly Question[] = [
  {
    name: 'volume by day and status',
    body: {
      resource: 'charges',
      dateRange: { field: 'createdAt', from: FROM, to: TO },
      groupBy: [day('createdAt'), { type: 'field', field: 'status' }],
      metrics: [{ aggregation: 'sum', field: 'amountReceived' }, { aggregation: 'count' }],
      limit: 1000,
    },
    bare: (sql, organization) => sql`
      select date_trunc('day', created_at at time zone 'UTC') as day, status, sum(received_atto)::text, count(*)
      from charges
      where organization_id = ${organization} and environment = 'live' and created_at >= ${FROM} and created_at < ${TO}
      group by 1, 2 order by 1, 2`,
  },
  {
    name: 'transactions by day and token',
    body: {
      resource: 'transactions',
      dateRange: { field: 'detectedAt', from: FROM, to: TO },
      groupBy: [day('detectedAt'), { type: 'field', field: 'token' }],
      metrics: [{ aggregation: 'sum', field: 'amount' }],
      limit: 1000,
    },
    bare: (sql, organization) => sql`
      select date_trunc('day', t.detected_at at time zone 'UTC') as day, t.token, sum(t.amount_atto)::text
      from transfers t join charges c on c.id = t.charge_id
      where c.organization_id = ${organization} and c.environment = 'live' and t.accepted
        and (t.inclusion <> 'orphaned' or t.credited_at is not null)
        and t.detected_at >= ${FROM} and t.detected_at < ${TO}
      group by 1, 2 order by 1, 2`,
  },
  {
    name: 'distributions by status',
    body: {
      resource: 'distributions',
      dateRange: { field: 'createdAt', from: FROM, to: TO },
      groupBy: [{ type: 'field', field: 'status' }],
      metrics: [{ aggregation: 'count' }, { aggregation: 'max', field: 'attempts' }],
    },
    bare: (sql, organization) => sql`
      select status, count(*), max(attempts) from payouts
      where organization_id = ${organization} and environment = 'live' and created_at >= ${FROM} and created_at < ${TO}
      group by 1 order by 1`,
  },
]

/** Runs the queries one after another, and returns the queries per second. */
async function rate(query: (index: number) => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now()
  for (let index = 0; index < QUERIES; index += 1) await query(index)
  return (QUERIES * 1000) / (performance.now() - startedAtMs)
}

async function ask(baseUrl: string, key: string, body: object): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/metrics/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${answer}`)
}

async function issueKeys(api: TestApi): Promise<readonly string[]> {
  const keys: string[] = []
  for (let index = 0; index < ORGANIZATIONS; index += 1) {
    const { key } = await api.issueKey({ organization: `org_${index}`, scopes: ['metrics:read'] })
    keys.push(key)
  }
  return keys
}

/** Inserts confirmed charges, each with one transfer and one payout. Organizations alternate, as on a busy service. */
async function fillTables(pool: Sql, count: number): Promise<void> {
  // Uses one connection, because the setting applies only to the connection that made it.
  const sql = await pool.reserve()
  await sql`set statement_timeout = 0`
  await sql`
    insert into charges (id, organization_id, environment, family, amount_micro, fee_payer, fee_percent,
      accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, request_hash,
      created_at, expires_at, status, received_atto, confirmed_at, last_activity_at)
    select 'ch_' || lpad(n::text, 24, '0'), 'org_' || n % ${ORGANIZATIONS}, 'live', 'evm', 10000000 + n, 'merchant', 1,
      '{USDC/base}', '{8453}', '0x' || lpad(to_hex(n), 40, '0'), '0x' || lpad(to_hex(n), 40, '0'),
      ${sql.json({ factory: `0x${'ab'.repeat(20)}`, recipients: [`0x${'cd'.repeat(20)}`], allocations: [1_000_000] })},
      '[]', '\\x00', at, at + interval '1 hour', 'confirmed', (10000000 + n) * 1000000000000::numeric, at, at
    from generate_series(1, ${count}::int) n,
      lateral (select ${TO}::timestamptz - make_interval(secs => (${count}::int - n) * ${DAYS * 86_400}::float8 / ${count}::int)
        as at) t`
  await sql`
    insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, value_atomic,
      amount_atto, accepted, inclusion, block_number, detected_at)
    select c.id, 'base', 'USDC', 'contract_watcher', 8453, p.token_address, '0x' || c.id, 0, 1, c.received_atto, true,
      'included', 1, c.created_at
    from charges c join pairs p on p.chain_id = 8453 and p.token = 'USDC' order by c.created_at`
  await sql`
    insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic)
    select c.id, 'base', 'USDC', p.chain_id, p.token_address, 1
    from charges c join pairs p on p.chain_id = 8453 and p.token = 'USDC' order by c.created_at`
  await sql`
    insert into payouts (charge_id, network, token, chain_id, token_address, split_address, environment,
      organization_id, status, attempts, grace_ends_at, next_attempt_at, completed_at, created_at)
    select c.id, l.network, l.token, l.chain_id, l.token_address, c.split_address, c.environment, c.organization_id,
      'completed', 1, c.created_at, c.created_at, c.created_at, c.created_at
    from charges c join charge_ledgers l on l.charge_id = c.id order by c.created_at`
  await sql`vacuum analyze charges, transfers, payouts`
  sql.release()
}
