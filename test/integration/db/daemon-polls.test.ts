import { expect } from 'chai'
import { findHeadToAgreeOn } from '../../../shared/db/chain-facts/daemon/agreed-heads.ts'
import { listChainRows } from '../../../shared/db/chain-facts/daemon/chain-rows.ts'
import { notifyHead } from '../../../shared/db/chain-facts/daemon/deployments.ts'
import {
  claimExpiryVerifications,
  insertExpiryVerifications,
} from '../../../shared/db/chain-facts/daemon/expiry-verifications.ts'
import { listLedgerRows, listMissingRows } from '../../../shared/db/chain-facts/daemon/inclusion.ts'
import { hasWatchedWork } from '../../../shared/db/chain-facts/daemon/sleeping.ts'
import {
  countUncorroborated,
  listLate,
  listToVerify,
  listUncorroborated,
} from '../../../shared/db/chain-facts/daemon/uncorroborated.ts'
import { listPassedDeadlines } from '../../../shared/db/charges/daemon/charge-expiry.ts'
import { listChargesWithWork } from '../../../shared/db/charges/daemon/charge-inbox.ts'
import { countExpiryBlockedCharges } from '../../../shared/db/charges/daemon/expiry-overrides.ts'
import type { Db, Sql } from '../../../shared/db/connect.ts'
import { hasUnnumberedEvents } from '../../../shared/db/events/daemon/events.ts'
import { hasDuePayouts } from '../../../shared/db/payouts/daemon/due-payouts.ts'
import { listPayoutBacklog } from '../../../shared/db/payouts/daemon/payout-backlog.ts'
import {
  findUnindexedNonce,
  listOpenTransactions,
} from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import { listUnapplied } from '../../../shared/db/relayer/daemon/unapplied-transactions.ts'
import { listDueEndpoints } from '../../../shared/db/webhooks/daemon/deliveries.ts'
import { BASE, insertFinishedWork, RELAYER } from '../../support/finished-work.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import {
  analyzeWhole,
  connectExplained,
  type Explained,
  listPlanProblems,
} from '../../support/query-plans.ts'

const CHARGES = 10_000
/** Ids that the query must skip, as for charges whose turns have failed. */
const RESTING = Array.from({ length: 1_000 }, (_, n) => `ch_resting_${n}`)

/** Number of rows of each kind that are not finished. */
const WAITING = 20
const RULE = { silentSeconds: 900 }
const NO_TRANSACTION = `0x${'00'.repeat(32)}` as const

/** The queries that the daemon runs every one to three seconds, even without work. */
const POLLS: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  listChargesWithMail: (db) => listChargesWithWork(db, { limit: 100, rule: RULE, except: RESTING }),
  listPassedDeadlines: (db) => listPassedDeadlines(db, { chargeIds: ['ch_none'], rule: RULE }),
  findDeepBlockToAgreeOn: (db) => findHeadToAgreeOn(db, BASE),
  enrolForEvidence: (db) =>
    insertExpiryVerifications(db, { chainId: BASE, after: new Date(0), until: new Date(), limit: 5_000 }),
  claimEvidence: (db) =>
    claimExpiryVerifications(db, {
      chainId: BASE,
      confirmedHeadTimestamp: 1,
      limit: WAITING,
      leaseSeconds: 60,
    }),
  countHeldCharges: countExpiryBlockedCharges,
  listPayoutBacklog: (db) => listPayoutBacklog(db, [BASE]),
  listUncorroborated: (db) =>
    listUncorroborated(db, {
      chainId: BASE,
      isSeenEnough: true,
      except: { aboveDepth: [], atDepth: [] },
      limit: 20,
    }),
  listToVerify: (db) => listToVerify(db, { chainId: BASE, except: [], limit: 20 }),
  countUncorroborated: (db) => countUncorroborated(db, BASE),
  listLate: (db) => listLate(db, { chainId: BASE, now: new Date(), limit: 100 }),
  listChainRows: (db) => listChainRows(db, 'transfers', { chainId: BASE, txHashes: [NO_TRANSACTION] }),
  listMissing: (db) => listMissingRows(db, { chainId: BASE, limit: 100 }),
  announceHead: (db) => notifyHead(db, BASE),
  listLedgerTransfers: (db) => listLedgerRows(db, 'transfers', { chainId: BASE, fromBlock: 900 }),
  listLedgerSplitEvents: (db) => listLedgerRows(db, 'split_events', { chainId: BASE, fromBlock: 900 }),
  hasWatchedWork: (db) => hasWatchedWork(db, BASE),
  hasWatchedWorkWithoutAny: (db) => hasWatchedWork(db, 1),
  hasDuePayouts: (db) => hasDuePayouts(db, { chainId: BASE, now: new Date() }),
  listOpenTransactions: (db) => listOpenTransactions(db, { ...RELAYER, limit: 200 }),
  findUnindexedNonce: (db) => findUnindexedNonce(db, RELAYER),
  listUnapplied: (db) => listUnapplied(db, { ...RELAYER, before: new Date(), limit: 20 }),
  hasUnnumberedEvents,
  listDueEndpoints: (db) => listDueEndpoints(db, { after: '', upTo: null, now: new Date(), limit: 100 }),
}

/** Maximum number of rows that a query may read. The tables have tens of thousands of finished rows. */
const MAX_ROWS = 25 * WAITING

describe('the polling queries of the daemon', function () {
  this.timeout(240_000)

  let database: TestDatabase
  let explained: Explained
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    await insertFinishedWork(database.sql, CHARGES)
    await leaveWaiting(database.sql)
    await analyzeWhole(database)
    explained = await connectExplained(database)
    ;({ sql } = explained)
  })

  after(async () => {
    await sql.end()
    await database.drop()
  })

  async function everyProblem(): Promise<Readonly<Record<string, readonly string[]>>> {
    const found: Record<string, readonly string[]> = {}
    for (const [name, poll] of Object.entries(POLLS))
      found[name] = await listPlanProblems(explained, { ask: poll, mostRows: MAX_ROWS })
    return found
  }

  const none = Object.fromEntries(Object.keys(POLLS).map((name) => [name, []]))

  for (const planMode of ['force_custom_plan', 'force_generic_plan']) {
    it(`read few rows although most rows are finished, with ${planMode}`, async () => {
      await sql.unsafe(`set plan_cache_mode = ${planMode}`)
      expect(await everyProblem()).to.deep.equal(none)
    })
  }

  it('need their indexes: without five of the indexes, this test finds problems', async () => {
    await database.sql`
      drop index transfers_uncredited, split_events_unapplied, split_events_missing, escrow_transfers_missing,
        transfers_counted_unagreed`
    const found = Object.entries(await everyProblem()).filter(([, problems]) => problems.length > 0)
    expect(Object.fromEntries(found)).to.have.keys(
      'countUncorroborated',
      'hasWatchedWork',
      'hasWatchedWorkWithoutAny',
      'listChargesWithMail',
      'listLate',
      'listMissing',
      'listToVerify',
      'listUncorroborated',
    )
  })
})

/** Makes some finished rows unfinished. */
async function leaveWaiting(sql: Sql): Promise<void> {
  const waiting = sql`select id from charges where status = 'pending' order by id limit ${WAITING}`
  await sql`update charges set expires_at = now() where id in (${waiting})`
  await sql`
    update expiry_verifications set result = 'unverified'
    where charge_id in (select charge_id from expiry_verifications order by charge_id limit ${WAITING})`
  await sql`update transfers set credited_at = null, agreed_at = null, agreed_by = null, block_number = 1000 where id <= ${WAITING}`
  await sql`update split_events set applied_at = null, agreed_at = null, agreed_by = null, block_number = 1000 where id <= ${WAITING}`
  await sql`update escrow_transfers set applied_at = null, agreed_at = null, agreed_by = null, block_number = 1000 where id <= ${WAITING}`
  for (const table of ['transfers', 'split_events', 'escrow_transfers'])
    await sql`update ${sql(table)} set inclusion = 'missing' where id between ${WAITING + 1} and ${2 * WAITING}`
  // Fewer rows than the query's limit, so that a query without the index reads all rows.
  for (const table of ['transfers', 'split_events', 'escrow_transfers'])
    await sql`
      update ${sql(table)} set agreed_at = null, agreed_by = null
      where id > ${2 * WAITING} and id < ${3 * WAITING}`
  await sql`
    update payouts set status = 'processing', completed_at = null, processing_started_at = '-infinity'
    where id <= ${WAITING}`
  await sql`
    update deliveries set status = 'pending', delivered_at = null, next_attempt_at = now() + interval '1 hour'
    where id <= ${WAITING}`
}
