import {
  claimExpiryVerifications,
  insertExpiryVerifications,
} from '../../shared/db/chain-facts/daemon/expiry-verifications.ts'
import { listReconciledCharges } from '../../shared/db/chain-facts/reconciliations.ts'
import { listChargesWithWork } from '../../shared/db/charges/daemon/charge-inbox.ts'
import { connect, type Db, type Sql } from '../../shared/db/connect.ts'
import { sequenceEvents } from '../../shared/db/events/daemon/events.ts'
import {
  type DateField,
  type GroupField,
  METRICS_RESOURCES,
  type MetricsResource,
} from '../../shared/db/metrics/api/metrics-fields.ts'
import type { MetricsQuery } from '../../shared/db/metrics/api/metrics-query.ts'
import { runMetricsQuery } from '../../shared/db/metrics/api/run-metrics-query.ts'
import { hasDuePayouts, lockDuePayouts } from '../../shared/db/payouts/daemon/due-payouts.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { claimDeliveries } from '../../shared/db/webhooks/daemon/claim-deliveries.ts'
import { listDueEndpoints } from '../../shared/db/webhooks/daemon/deliveries.ts'
import { insertDeployments } from '../support/api.ts'
import { MINIMUM_PAYOUT } from '../support/factories.ts'
import { HISTORY_ENDS, insertDueWork, insertHistory } from '../support/long-history.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, compare, isReached } from './compare.ts'
import { showProgress } from './show-progress.ts'

/** Target ratio: at most 1.3 times as long, as in `list.ts`. */
const AIM = 1 / 1.3

const FEW = 5_000
/** Default number of many charges. Five million charges (`--rows 5000000`) need a TMPDIR with 40 GB. */
const MANY = 1_000_000
/** Number of due rows of each kind, the same in both services. */
const DUE = 200
const CHAIN = 8453

/**
 * Range of a metrics query in seconds. One charge was created per second, so this is also the number of charges in the
 * range. Each organization has a fiftieth of them.
 */
const ASKED_SECONDS = 4_000

/** A service to measure: its database, and a connection of each role. */
type Service = Readonly<Record<'admin' | 'daemon' | 'api', Sql>> & { readonly database: TestDatabase }

type Work = {
  readonly name: string
  readonly times: number
  readonly run: (service: Service) => Promise<unknown>
}

/**
 * Compares the speed of due work and of metrics queries between a service with many charges and a service with few
 * charges but the same due work. A full run also prints the query plans of all work that misses the target.
 */
export async function benchScale(options: BenchOptions): Promise<readonly Comparison[]> {
  const [rows, fewRows] = [options.rows ?? resize(MANY, options), resize(FEW, options)]
  const due = resize(DUE, options)
  const few = await startService(fewRows, due)
  const many = await startService(rows, due)
  try {
    const found: Comparison[] = []
    for (const work of WORK) {
      const comparison = await compare({
        ...{ name: `${work.name}: after ${rows} charges / after ${fewRows}`, aim: AIM },
        repetitions: options.repetitions,
        ours: () => rate(work, many),
        yardstick: () => rate(work, few),
      })
      found.push(comparison)
      if (options.size === 1 && !isReached(comparison)) await explain(work, many)
    }
    return found
  } finally {
    await stopService(few)
    await stopService(many)
  }
}

async function startService(charges: number, due: number): Promise<Service> {
  const database = await createTestDatabase()
  await insertDeployments(database.sql)
  const admin = connectAdmin(database, () => undefined)
  showProgress(`insert ${charges} charges with their related rows`)
  await insertHistory(admin, charges)
  await insertDueWork(admin, due)
  const of = (url: string) => connect({ url, applicationName: 'bench', maxConnections: 1 })
  return { database, admin, daemon: of(database.url.daemon), api: of(database.url.api) }
}

function connectAdmin({ url }: TestDatabase, tell: (message: string) => void): Sql {
  return connect({
    ...{ url: url.owner.replace('test_owner@', 'postgres@'), applicationName: 'bench', maxConnections: 1 },
    onNotice: ({ message }) => tell(String(message)),
  })
}

async function stopService({ database, admin, daemon, api }: Service): Promise<void> {
  await Promise.all([admin.end(), daemon.end(), api.end()])
  await database.drop()
}

/** Returns the executions per second. */
async function rate({ run, times }: Work, service: Service): Promise<number> {
  const startedAtMs = performance.now()
  for (let time = 0; time < times; time += 1) await run(service)
  return (times * 1000) / (performance.now() - startedAtMs)
}

async function explain({ name, run }: Work, service: Service): Promise<void> {
  process.stderr.write(`  the plans of ${name}\n`)
  const admin = connectAdmin(service.database, (message) => process.stderr.write(`${message}\n`))
  await admin.unsafe(`
    load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
    set auto_explain.log_buffers = on; set auto_explain.log_level = notice; set client_min_messages = notice`)
  await run({ ...service, daemon: admin, api: admin })
  await admin.end()
}

class GivenBack extends Error {}

/** Returns work that the daemon does in a transaction. A rollback releases the claimed rows. */
function claim(name: string, run: (db: Db) => Promise<unknown>): Work {
  return {
    ...{ name, times: 20 },
    run: ({ daemon }) =>
      inTransaction(daemon, async (db) => {
        await run(db)
        throw new GivenBack()
      }).catch((error: unknown) => {
        if (!(error instanceof GivenBack)) throw error
      }),
  }
}

const minuteLater = () => new Date(Date.now() + 60_000)

/** Returns a query that counts an organization's latest rows, selected by the time column `at` and grouped by `by`. */
function metrics(resource: MetricsResource, [at, by]: readonly [at: DateField, by: GroupField]): Work {
  const to = new Date(HISTORY_ENDS)
  const query: MetricsQuery = {
    ...{ resource, tenant: { organizationId: 'org_7', environment: 'live' } },
    range: { field: at, from: new Date(to.getTime() - ASKED_SECONDS * 1000), to },
    groups: [{ type: 'field', name: 'by', field: by }],
    metrics: [{ alias: 'count', measure: { aggregation: 'count' } }],
    ...{ filters: [], orderBy: null, limit: 100, isFilled: false },
  }
  return {
    ...{ name: `metrics of ${resource}`, times: 20 },
    run: ({ api }) => runMetricsQuery(api, query, { timeoutMs: 60_000 }),
  }
}

const { charges, transactions, distributions } = METRICS_RESOURCES

const WORK: readonly Work[] = [
  claim('charges with due work', (db) =>
    listChargesWithWork(db, { limit: 200, rule: { silentSeconds: 900 }, except: [] }),
  ),
  claim('deliveries claimed', async (db) => {
    const now = minuteLater()
    const due = await listDueEndpoints(db, { after: '', upTo: null, now, limit: 200 })
    const slots = due.map(({ webhookId }) => ({ webhookId, slots: 4 }))
    return claimDeliveries(db, { slots, now, leasedUntil: new Date(now.getTime() + 60_000) })
  }),
  claim('payouts claimed', async (db) => {
    const query = { chainId: CHAIN, now: minuteLater() }
    await hasDuePayouts(db, query)
    return lockDuePayouts(db, {
      ...query,
      minimumAtto: MINIMUM_PAYOUT,
      limit: 20,
      afterOrganization: 'org_3',
    })
  }),
  claim('evidence of balances claimed', async (db) => {
    const [after, until] = [new Date(0), new Date()]
    await insertExpiryVerifications(db, { chainId: CHAIN, after, until, limit: 5_000 })
    return claimExpiryVerifications(db, {
      chainId: CHAIN,
      confirmedHeadTimestamp: 1,
      limit: 300,
      leaseSeconds: 120,
    })
  }),
  claim('charges to be reconciled', (db) =>
    listReconciledCharges(db, {
      ...{
        chainId: CHAIN,
        environment: 'live',
        recentId: 'ch_z',
        recentAt: new Date(),
        after: '',
        limit: 500,
      },
    }),
  ),
  claim('events numbered', (db) => sequenceEvents(db)),
  metrics('charges', [charges.fields.createdAt, charges.fields.status]),
  metrics('transactions', [transactions.fields.detectedAt, transactions.fields.token]),
  metrics('distributions', [distributions.fields.createdAt, distributions.fields.status]),
]
