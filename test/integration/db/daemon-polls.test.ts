import { expect } from 'chai'
import { listChargesWithMail, listPassedDeadlines } from '../../../shared/db/charge-mail.ts'
import type { Db, Sql } from '../../../shared/db/connect.ts'
import { listDueEndpoints } from '../../../shared/db/deliveries.ts'
import { announceHead } from '../../../shared/db/deployments.ts'
import { sequenceEvents } from '../../../shared/db/events.ts'
import { hasDuePayouts } from '../../../shared/db/payouts.ts'
import { listMissing } from '../../../shared/db/presence.ts'
import { findUnindexedNonce, listOpenTransactions } from '../../../shared/db/relayer-transactions.ts'
import { listLedgerSplitEvents } from '../../../shared/db/split-events.ts'
import { listLedgerTransfers } from '../../../shared/db/transfers.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { insertDeployments } from '../../support/api.ts'
import { connectExplained, type Explained, rowsReadBy } from '../../support/explained.ts'
import { insertManyCharges } from '../../support/many-charges.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const CHARGES = 40_000
const CHAIN = 8453
const RELAYER = { chainId: CHAIN, relayer: `0x${'ee'.repeat(20)}` as Address }
/** Rows of each kind that wait for something. */
const WAITING = 20
const RULE = { silentSeconds: 900 }

/** What the daemon asks every second or three, of each chain or once, whether there is something to do or not. */
const POLLS: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  listChargesWithMail: (db) => listChargesWithMail(db, { limit: 100, rule: RULE }),
  listPassedDeadlines: (db) => listPassedDeadlines(db, { chargeIds: ['ch_none'], rule: RULE }),
  listMissing: (db) => listMissing(db, { chainId: CHAIN, limit: 100 }),
  announceHead: (db) => announceHead(db, CHAIN),
  listLedgerTransfers: (db) => listLedgerTransfers(db, { chainId: CHAIN, fromBlock: 900 }),
  listLedgerSplitEvents: (db) => listLedgerSplitEvents(db, { chainId: CHAIN, fromBlock: 900 }),
  hasDuePayouts: (db) => hasDuePayouts(db, { chainId: CHAIN, now: new Date() }),
  listOpenTransactions: (db) => listOpenTransactions(db, { ...RELAYER, limit: 200 }),
  findUnindexedNonce: (db) => findUnindexedNonce(db, RELAYER),
  sequenceEvents,
  listDueEndpoints: (db) => listDueEndpoints(db, { after: '', upTo: null, now: new Date(), limit: 100 }),
}

/** The tables that grow for as long as the service runs. */
const GROWING = [
  ...['charges', 'transfers', 'split_events', 'escrow_movements'],
  ...['payouts', 'relayer_transactions', 'events', 'deliveries'],
]

/** Those that wait, and the charges and the like that belong to them: not the tens of thousands that are done. */
const MOST_ROWS = 20 * WAITING

describe('what the daemon asks all the time', function () {
  this.timeout(60_000)

  let database: TestDatabase
  let explained: Explained
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    await insertDeployments(database.sql)
    await insertManyCharges(database.sql, CHARGES)
    await insertFinishedWork(database.sql)
    await leaveWaiting(database.sql)
    await database.sql.unsafe('vacuum analyze')
    explained = await connectExplained(database)
    ;({ sql } = explained)
  })

  after(async () => {
    await sql.end()
    await database.drop()
  })

  /** Asks, and answers what is wrong with how PostgreSQL found it. */
  async function problemsOf(poll: (db: Db) => Promise<unknown>): Promise<readonly string[]> {
    explained.takeNodes()
    await poll(sql)
    const scans = explained.takeNodes().filter((node) => GROWING.includes(node['Relation Name'] ?? ''))
    expect(scans.length, 'scans of a table that grows').to.be.greaterThan(0)
    const read = scans.reduce((sum, node) => sum + rowsReadBy(node), 0)
    return [
      ...scans
        .filter((node) => node['Node Type'] === 'Seq Scan')
        .map((node) => `scans ${node['Relation Name']}`),
      ...(read > MOST_ROWS ? [`reads ${read} rows`] : []),
    ]
  }

  async function everyProblem(): Promise<Readonly<Record<string, readonly string[]>>> {
    const found: Record<string, readonly string[]> = {}
    for (const [name, poll] of Object.entries(POLLS)) found[name] = await problemsOf(poll)
    return found
  }

  const none = Object.fromEntries(Object.keys(POLLS).map((name) => [name, []]))

  for (const planMode of ['force_custom_plan', 'force_generic_plan']) {
    it(`reads what waits and nothing that is done, with ${planMode}`, async () => {
      await sql.unsafe(`set plan_cache_mode = ${planMode}`)
      expect(await everyProblem()).to.deep.equal(none)
    })
  }

  it('would be noticed without its indexes', async () => {
    await database.sql`
      drop index transfers_uncredited, split_events_unapplied, split_events_missing, escrow_movements_missing`
    const found = Object.entries(await everyProblem()).filter(([, problems]) => problems.length > 0)
    expect(Object.fromEntries(found)).to.have.keys('announceHead', 'listChargesWithMail', 'listMissing')
  })
})

/** Inserts what a year leaves behind: every charge is final or open, all money is credited and paid out. */
async function insertFinishedWork(sql: Sql): Promise<void> {
  await sql`
    update charges set expires_at = now() + interval '1 hour' where status in ('pending', 'partially_paid')`
  await sql`update transfers set credited_at = now(), block_timestamp = 1, block_hash = ''`
  await sql`
    insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic, presence,
      block_number, block_hash, block_timestamp, log_index, announced_at, applied_at)
    select charge_id, 'distributed', chain_id, token_address, tx_hash, n, '0x' || repeat('4e', 20), 1, 'present', 1, '',
      1, 0, now(), now()
    from transfers, generate_series(1, 2) n`
  await sql`
    insert into escrow_movements (charge_id, action, chain_id, token_address, tx_hash, ordinal, recipient, amount_atomic,
      presence, block_number, block_hash, block_timestamp, log_index, applied_at)
    select charge_id, 'release', chain_id, token_address, tx_hash, 1, '0x' || repeat('4e', 20), 1, 'present', 1, '', 1, 0,
      now() from transfers`
  await sql`
    insert into charge_pairs (charge_id, network, token, chain_id, token_address, credited_atomic, distributed_atomic)
    select charge_id, network, token, chain_id, token_address, 1, 1 from transfers`
  await sql`
    insert into payouts (charge_id, network, token, chain_id, token_address, split_address, environment, organization_id,
      status, grace_ends_at, next_attempt_at, processing_started_at, completed_at)
    select t.charge_id, t.network, t.token, t.chain_id, t.token_address, c.split_address, c.environment,
      c.organization_id, 'completed', now(), now(), now(), now()
    from transfers t join charges c on c.id = t.charge_id`
  await sql`insert into relayers values (${CHAIN}, ${RELAYER.relayer}, ${CHARGES})`
  await sql`
    insert into relayer_transactions (tx_hash, chain_id, relayer, nonce, payout_id, raw_transaction, max_fee_per_gas, status)
    select '0x' || id, chain_id, ${RELAYER.relayer}, id, id, '0x', 1, 'final' from payouts`
  await sql`
    insert into webhooks (id, organization_id, url, events, event_categories, exclude_events, secret_sealed, secret_hint)
    values ('wh_one', 'org_0', 'https://example.com', '{*}', '{}', '{}', '', '')`
  await sql`
    insert into events (id, seq, category, type, organization_id, environment, charge_id, data, created_at)
    select 'evt_' || id, row_number() over (), 'payments', 'charge.created', organization_id, environment, id, '{}', now()
    from charges`
  await sql`
    update deliveries set status = 'delivered', delivered_at = now(), next_attempt_at = null, attempts = 1`
}

/** Takes some of it back, so that every question has rows to look at: they wait, and nothing of them is due. */
async function leaveWaiting(sql: Sql): Promise<void> {
  const waiting = sql`select id from charges where status = 'pending' order by id limit ${WAITING}`
  await sql`update charges set expires_at = now() where id in (${waiting})`
  await sql`update transfers set credited_at = null, block_number = 1000 where id <= ${WAITING}`
  await sql`update split_events set applied_at = null, block_number = 1000 where id <= ${WAITING}`
  await sql`update escrow_movements set applied_at = null, block_number = 1000 where id <= ${WAITING}`
  for (const table of ['transfers', 'split_events', 'escrow_movements'])
    await sql`update ${sql(table)} set presence = 'missing' where id between ${WAITING + 1} and ${2 * WAITING}`
  await sql`
    update payouts set status = 'processing', completed_at = null, processing_started_at = '-infinity'
    where id <= ${WAITING}`
  await sql`
    update deliveries set status = 'pending', delivered_at = null, next_attempt_at = now() + interval '1 hour'
    where id <= ${WAITING}`
}
