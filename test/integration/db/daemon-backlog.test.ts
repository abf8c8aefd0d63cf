import { expect } from 'chai'
import { getHealthWindow } from '../../../indexer/webhooks/health-window.ts'
import { findDueComparison } from '../../../shared/db/chain-facts/daemon/charge-comparisons.ts'
import { notifyHead } from '../../../shared/db/chain-facts/daemon/deployments.ts'
import { listMissingRows } from '../../../shared/db/chain-facts/daemon/inclusion.ts'
import { listLeavingCharges } from '../../../shared/db/chain-facts/daemon/leaving-charges.ts'
import { listReconciledCharges } from '../../../shared/db/chain-facts/reconciliations.ts'
import { listChargesWithWork, listDueCredits } from '../../../shared/db/charges/daemon/charge-inbox.ts'
import type { Db, Sql } from '../../../shared/db/connect.ts'
import { sequenceEvents } from '../../../shared/db/events/daemon/events.ts'
import { countHealth } from '../../../shared/db/health.ts'
import { hasDuePayouts, lockDuePayouts } from '../../../shared/db/payouts/daemon/due-payouts.ts'
import { claimHeldShares } from '../../../shared/db/payouts/daemon/held-shares.ts'
import { findUnindexedNonce } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import { claimDeliveries } from '../../../shared/db/webhooks/daemon/claim-deliveries.ts'
import { listDueEndpoints } from '../../../shared/db/webhooks/daemon/deliveries.ts'
import { getOldestDueSeconds } from '../../../shared/db/webhooks/daemon/delivery-backlog.ts'
import { updateSuccesses } from '../../../shared/db/webhooks/daemon/successes.ts'
import { atto } from '../../../shared/domain/money.ts'
import { BASE, ENDPOINT, insertFinishedWork, RELAYER } from '../../support/finished-work.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import {
  analyzeWhole,
  connectExplained,
  type Explained,
  listPlanProblems,
} from '../../support/query-plans.ts'

const CHARGES = 40_000
const BNB = 56
const DEAD = 'wh_dead'
/** Ids that the query must skip, as for charges whose turns have failed. */
const RESTING = Array.from({ length: 1_000 }, (_, n) => `ch_resting_${n}`)

/** Number of rows of each kind that cannot be processed. */
const BACKLOG = 2_000
/** Number of rows claimed in one turn. */
const LIMIT = 10

const now = () => new Date()
const soon = () => new Date(Date.now() + 1000)
const settling = (chainId: number) => ({
  ...{ chainId, now: now(), minimumAtto: atto(1n), limit: LIMIT },
  afterOrganization: 'org_1',
})

/** Successful deliveries whose leases match no row. The query searches for them as for real deliveries. */
const succeeded = Array.from({ length: LIMIT }, (_, id) => ({
  ...{ id, webhookId: ENDPOINT, leasedUntil: now(), counts: true, status: 'delivered' as const, attempts: 1 },
  ...{
    cycleAttempts: 1,
    cycleStartedAt: now(),
    nextAttemptAt: null,
    firstAttemptedAt: now(),
    responseCode: 200,
  },
  ...{ responseExcerpt: 'ok', lastError: null, deliveredAt: now(), failedAt: null },
}))

/** Queries that run while most work cannot be done, because an endpoint is dead or a chain is stalled. */
const CLAIMS: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  listDueEndpoints: (db) => listDueEndpoints(db, { after: '', upTo: null, now: now(), limit: 100 }),
  'claimDeliveries, for the dead endpoint and another endpoint': (db) =>
    claimDeliveries(db, { slots: slotsOf(DEAD, ENDPOINT), now: now(), leasedUntil: soon() }),
  updateSuccesses: (db) =>
    updateSuccesses(db, succeeded, {
      ...{ ...getHealthWindow(now()), leastFinished: 5 },
      threshold: { numerator: 1, denominator: 5 },
    }),
  getOldestDueSeconds: (db) => getOldestDueSeconds(db, now()),
  'hasDuePayouts, on the stalled chain': (db) => hasDuePayouts(db, settling(BNB)),
  'hasDuePayouts, on another chain': (db) => hasDuePayouts(db, settling(BASE)),
  'claimHeldShares, on the stalled chain': (db) => claimHeldShares(db, { ...settling(BNB), until: soon() }),
  'claimHeldShares, on another chain': (db) => claimHeldShares(db, { ...settling(BASE), until: soon() }),
  notifyHead: (db) => notifyHead(db, BASE),
  listMissingRows: (db) => listMissingRows(db, { chainId: BASE, limit: LIMIT }),
  listDueCredits: (db) => listDueCredits(db, ['ch_none']),
  listChargesWithWork: (db) =>
    listChargesWithWork(db, { limit: LIMIT, rule: { silentSeconds: 900 }, except: RESTING }),
  listReconciledCharges: (db) =>
    listReconciledCharges(db, {
      chainId: BASE,
      environment: 'live',
      recentId: 'ch_z',
      recentAt: now(),
      after: '',
      limit: LIMIT,
    }),
  findDueComparison: (db) => findDueComparison(db, { chainId: BASE, now: now() }),
  listLeavingCharges: (db) => listLeavingCharges(db, { chainId: BASE, until: now(), limit: LIMIT }),
  findUnindexedNonce: (db) => findUnindexedNonce(db, RELAYER),
}

/** Maximum number of rows that a query may read: the claimed rows, and their charges, tokens and transactions. */
const MAX_ROWS = 20 * LIMIT

/** Queries that claim or count more rows than the other queries, with the maximum rows that each may read. */
const LARGER: Readonly<Record<string, readonly [(db: Db) => Promise<unknown>, number]>> = {
  // This query claims up to 1,000 rows.
  sequenceEvents: [sequenceEvents, 4_000],
  // These queries claim one row per organization, and sort the rows of organizations with few rows.
  'lockDuePayouts, on the stalled chain': [(db) => lockDuePayouts(db, settling(BNB)), 2 * MAX_ROWS],
  'lockDuePayouts, on another chain': [(db) => lockDuePayouts(db, settling(BASE)), 2 * MAX_ROWS],
  // This query reads each pending delivery once.
  countHealth: [countHealth, BACKLOG + 100 + MAX_ROWS],
}

describe('the daemon’s queries with a backlog that cannot be processed', function () {
  this.timeout(240_000)

  let database: TestDatabase
  let explained: Explained

  before(async () => {
    database = await createTestDatabase()
    await insertFinishedWork(database.sql, CHARGES)
    await insertBacklog(database.sql)
    await analyzeWhole(database)
    explained = await connectExplained(database)
  })

  after(async () => {
    await explained.sql.end()
    await database.drop()
  })

  for (const planMode of ['force_custom_plan', 'force_generic_plan']) {
    const bounded = Object.entries(CLAIMS).map(([name, ask]) => [name, [ask, MAX_ROWS]] as const)
    for (const [name, [ask, mostRows]] of [...bounded, ...Object.entries(LARGER)]) {
      it(`read only a limited number of rows: ${name}, with ${planMode}`, async () => {
        await explained.sql.unsafe(`set plan_cache_mode = ${planMode}`)
        expect(await listPlanProblems(explained, { ask, mostRows })).to.deep.equal([])
      })
    }
  }

  it('record successful deliveries without reading the backlog, even if PostgreSQL’s statistics predate the backlog', async () => {
    const { sql } = database
    const record = CLAIMS['updateSuccesses'] ?? expect.fail('there is no such query')
    await sql`
      update deliveries set status = 'failed', failed_at = now(), next_attempt_at = null, leased_until = null
      where status = 'pending'`
    await analyzeWhole(database)
    await sql`
      update deliveries set status = 'pending', failed_at = null, next_attempt_at = now() where webhook_id = ${DEAD}`
    await explained.sql.unsafe('set plan_cache_mode = force_custom_plan')
    expect(await listPlanProblems(explained, { ask: record, mostRows: MAX_ROWS })).to.deep.equal([])
  })
})

function slotsOf(...webhookIds: readonly string[]) {
  return webhookIds.map((webhookId) => ({ webhookId, slots: LIMIT / 2 }))
}

/**
 * Inserts a backlog: deliveries to a dead endpoint, payouts and held shares on the stalled BNB chain, and payouts on
 * base that are not due. Also inserts rows that can be processed.
 */
async function insertBacklog(sql: Sql): Promise<void> {
  await sql`
    insert into webhooks select ${DEAD}, organization_id, environment, url, events, event_categories, exclude_events,
      secret_sealed, secret_hint from webhooks where id = ${ENDPOINT}`
  await sql`
    insert into deliveries (webhook_id, event_number, next_attempt_at, attempts, first_attempted_at)
    select ${DEAD}, number, now() - interval '1 hour', 1, now() from events order by number limit ${BACKLOG}`
  await sql`
    update deliveries set status = 'pending', delivered_at = null, next_attempt_at = now(), attempts = 0
    where id in (select id from deliveries where webhook_id = ${ENDPOINT} order by id desc limit 100)`
  await sql`update charge_ledgers set credited_atomic = 2`
  // The comparisons of 20 charges are due.
  await sql`
    insert into charge_comparisons (charge_id, chain_id, due_at, next_at, span)
    select id, ${BASE}, due_at, due_at, 3 from (
      select id, now() + case when row_number() over (order by id) <= 20 then -1 else 1 end * interval '1 hour' as due_at
      from charges) c
    on conflict (charge_id, chain_id) do update set due_at = excluded.due_at, next_at = excluded.next_at`
  for (const [chainId, count, age] of [
    [BNB, BACKLOG, '1 hour'],
    [BASE, 100, '1 second'],
  ] as const) {
    const chosen = sql`
      select id from payouts where status = 'completed' order by id limit ${count}`
    await sql`
      update payouts set status = 'pending', completed_at = null, processing_started_at = null, chain_id = ${chainId},
        token_address = (select token_address from pairs where chain_id = ${chainId} limit 1),
        next_attempt_at = now() - ${age}::interval
      where id in (${chosen})`
    await sql`
      update held_shares set held_atomic = 1, chain_id = ${chainId}, next_attempt_at = now() - ${age}::interval,
        token_address = (select token_address from pairs where chain_id = ${chainId} limit 1)
      where id in (select id from held_shares where held_atomic = 0 order by id limit ${count})`
  }
  for (const [chainId, status] of [
    [BASE, 'pending'],
    [BNB, 'processing'],
  ] as const)
    await sql`
      update payouts set status = ${status}, completed_at = null, chain_id = ${chainId},
        next_attempt_at = now() + interval '1 hour'
      where id in (select id from payouts where status = 'completed' order by id limit ${BACKLOG})`
  await sql`
    update payouts set status = 'processing', completed_at = null, next_attempt_at = now() + interval '1 hour'
    where id in (select id from payouts where status = 'completed' order by id desc limit ${LIMIT})`
  await sql`
    delete from relayer_transactions where payout_id in (select id from payouts where status = 'pending')`
  await sql`
    update charges set status = 'expired', confirmed_at = null where status in ('pending', 'partially_paid')`
  await sql`
    update charges set status = 'pending', confirmed_at = null, expires_at = now() + interval '1 hour'
    where id in (select id from charges order by id desc limit ${BACKLOG})`
  await sql`
    update transfers set source = 'reconciliation_job'
    where id in (select id from transfers order by id desc limit ${BACKLOG})`
  await sql`
    update transfers set credited_at = null, block_number = 1
    where id in (select id from transfers order by id desc limit ${BACKLOG})`
  await sql`
    update transfers set inclusion = 'missing'
    where id in (select id from transfers where credited_at is not null order by id desc limit ${BACKLOG})`
  await sql`
    update events set seq = null where number in (select number from events order by number desc limit ${BACKLOG})`
  await sql`update event_sequence set last_seq = ${CHARGES}`
  await sql`update deployments set head_number = 1000, head_timestamp = 1000`
}
