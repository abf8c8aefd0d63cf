import { expect } from 'chai'
import {
  advanceSleepHead,
  endSleep,
  hasRecentCharges,
  hasWatchedWork,
  putToSleep,
  readSleepState,
  recordHealthHead,
} from '../../../shared/db/chain-facts/daemon/sleeping.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { BASE, insertFinishedWork, RELAYER } from '../../support/finished-work.ts'
import { insertPonderCharge } from '../../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

/** A chain without finished work. */
const BNB = 56
const WORD = `0x${'11'.repeat(32)}`
const CHARGE = `ch_${'0'.repeat(22)}90`

/** One row of each kind that must be watched, on base. */
const WORK: Readonly<Record<string, (sql: Sql) => Promise<unknown>>> = {
  'an open charge': (sql) =>
    sql`update charges set status = 'pending', confirmed_at = null where id = ${CHARGE}`,
  'a partially paid charge': (sql) =>
    sql`update charges set status = 'partially_paid', confirmed_at = null where id = ${CHARGE}`,
  'a held escrow': (sql) =>
    sql`update charges set escrow_releaser = ${RELAYER.relayer}, received_atto = 1 where id = ${CHARGE}`,
  'a pending payout': (sql) => setPayout(sql, 'pending'),
  'a payout in progress': (sql) => setPayout(sql, 'processing'),
  'a failed payout': (sql) => setPayout(sql, 'failed'),
  'a held share': (sql) => sql`update held_shares set held_atomic = 1 where id = 1`,
  'an open refund': (sql) => sql`
    insert into refunds (id, charge_id, organization_id, environment, family, network, token, chain_id, token_address,
      decimals, sender, destination, amount_atomic, after_block, reason, idempotency_key, request_hash, created_at,
      expires_at, scanned_block)
    values (${`rf_${'0'.repeat(24)}`}, ${CHARGE}, 'org_0', 'live', 'evm', 'base', 'USDC', ${BASE}, ${RELAYER.relayer}, 6,
      ${RELAYER.relayer}, ${RELAYER.relayer}, 1, 1, 'other', 'key', 'hash', now(), now() + interval '1 hour', 1)`,
  'a transaction of the relayer in flight': (sql) =>
    sql`update relayer_transactions set status = 'mined' where payout_id = 1`,
  'an authorization in flight': async (sql) => {
    await sql`alter table authorizations disable trigger authorizations_validate`
    await sql`
      insert into authorizations (request_id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest,
        value_atomic, valid_before, from_block)
      values ('req_one', 'org_0', ${CHARGE}, ${BASE}, ${RELAYER.relayer}, ${RELAYER.relayer}, ${WORD}, ${WORD}, 1, 1, 1)`
  },
  'a payment that does not count yet': (sql) => sql`
    update transfers set credited_at = null, agreed_at = null, agreed_by = null where id = 1`,
  'a distribution that does not count yet': (sql) =>
    sql`update split_events set applied_at = null where id = 1`,
  'a transfer out of an escrow that does not count yet': (sql) =>
    sql`update escrow_transfers set applied_at = null where id = 1`,
  'a missing payment': (sql) => sql`update transfers set inclusion = 'missing' where id = 1`,
  'an order to repair the feed': (sql) =>
    sql`update deployments set repair_requested_at = now() where chain_id = ${BASE}`,
}

function setPayout(sql: Sql, status: string) {
  return sql`update payouts set status = ${status}, completed_at = null where id = 1`
}

describe('a network', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    await insertFinishedWork(database.sql, 200)
    await database.sql`update charges set status = 'expired' where status in ('pending', 'partially_paid')`
  })

  after(() => database.drop())

  it('need not be watched if it has no rows or only finished rows', async () => {
    expect(await hasWatchedWork(database.sql, BASE)).to.equal(false)
    expect(await hasWatchedWork(database.sql, BNB)).to.equal(false)
  })

  it('need not be watched for a counted payment without votes, because the payment might never get votes', async () => {
    await database.sql`update transfers set agreed_at = null, agreed_by = null where id = 1`
    expect(await hasWatchedWork(database.sql, BASE)).to.equal(false)
  })

  for (const [kind, insert] of Object.entries(WORK))
    it(`must be watched because of ${kind}`, async () => {
      const undo = new Error('rolled back')
      await database.sql
        .begin(async (sql) => {
          await insert(sql as unknown as Sql)
          expect(await hasWatchedWork(sql as unknown as Sql, BASE)).to.equal(true)
          throw undo
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error
        })
    })
})

describe('the row of a sleeping network', () => {
  let database: TestDatabase
  let sql: TestDatabase['sql']

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
  })

  beforeEach(async () => {
    await database.sql`truncate deployments, charges cascade`
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, head_number)
      values (${BASE}, 'base', 'live', 'evm', 3, 2000, 100), (${BNB}, 'bnb', 'live', 'evm', 3, 750, 100)`
    await database.sql`
      insert into reconciliations (chain_id, scanned_block_number, next_attempt_at) values (${BASE}, 90, now())`
  })

  after(async () => {
    await sql.end()
    await database.drop()
  })

  const scanned = async () =>
    (await sql`select scanned_block_number from reconciliations`)[0]?.['scannedBlockNumber']

  const sleep = (ownerEpoch = 0) => putToSleep(sql, { chainId: BASE, headNumber: 100, ownerEpoch })

  it('is not put to sleep by a daemon that another daemon has replaced', async () => {
    await database.sql`update deployments set owner_epoch = 1`
    expect(await sleep()).to.equal(false)
    expect(await readSleepState(sql, BASE)).to.include({ isAsleep: false, ownerEpoch: 1 })
    await database.sql`update deployments set owner_epoch = 0`
    expect(await sleep()).to.equal(true)
  })

  it('is marked to wake only by a new charge that accepts the network', async () => {
    await sleep()
    await insertPonderCharge(database.sql, { chainId: BNB })
    expect(await readSleepState(sql, BASE)).to.include({ isAsleep: true, isWakeRequested: false })
    await insertPonderCharge(database.sql, { chainId: BASE })
    expect(await readSleepState(sql, BASE)).to.include({ isAsleep: true, isWakeRequested: true })
  })

  it('does not delay the creation of a charge while another transaction has locked the row', async () => {
    const other = connectForTest(database.url.owner)
    await sleep()
    await database.sql.begin(async (db) => {
      await db`select from deployments where chain_id = ${BASE} for no key update`
      await other.begin(async (charging) => {
        await charging`set local lock_timeout = '1s'`
        await insertPonderCharge(charging as never, { chainId: BASE })
      })
    })
    await other.end()
  })

  it('is not changed by a new charge while the network is awake', async () => {
    await insertPonderCharge(database.sql, { chainId: BASE })
    expect(await readSleepState(sql, BASE)).to.include({ isAsleep: false, isWakeRequested: false })
  })

  it('keeps the feed’s head, and stores a newer head in other columns', async () => {
    await sleep()
    await recordHealthHead(sql, { chainId: BASE, headNumber: 500 })
    await advanceSleepHead(sql, { chainId: BASE, headNumber: 500, scannedNumber: 470 })
    const [row] = await sql`
      select head_number, confirmed_head_number, max_head_number, sleep_head_number from deployments
      where chain_id = ${BASE}`
    expect(row).to.deep.equal({
      ...{ headNumber: 100, confirmedHeadNumber: null, maxHeadNumber: 500, sleepHeadNumber: 500 },
    })
    expect(await scanned()).to.equal(470)
  })

  it('keeps the scanned block while charges must still be scanned', async () => {
    await sleep()
    await advanceSleepHead(sql, { chainId: BASE, headNumber: 500, scannedNumber: null })
    expect(await scanned()).to.equal(90)
  })

  it('keeps its heads and its scanned block while the network is awake', async () => {
    await recordHealthHead(sql, { chainId: BASE, headNumber: 500 })
    await advanceSleepHead(sql, { chainId: BASE, headNumber: 500, scannedNumber: 470 })
    const [row] =
      await sql`select max_head_number, sleep_head_number from deployments where chain_id = ${BASE}`
    expect(row).to.deep.equal({ maxHeadNumber: null, sleepHeadNumber: null })
    expect(await scanned()).to.equal(90)
  })

  it('moves the watermark up to the first block of the next generation, and never down', async () => {
    await database.sql`update deployments set watermark_number = 80`
    await sleep()
    await endSleep(sql, { chainId: BASE, startBlock: 470 })
    await sleep()
    await endSleep(sql, { chainId: BASE, startBlock: 70 })
    const [row] = await sql`select watermark_number from deployments where chain_id = ${BASE}`
    expect(row).to.deep.equal({ watermarkNumber: 470 })
  })

  it('counts only the activity of charges that accept the network', async () => {
    await insertPonderCharge(database.sql, { chainId: BASE })
    expect(await hasRecentCharges(sql, { chainId: BASE, seconds: 60 })).to.equal(true)
    expect(await hasRecentCharges(sql, { chainId: BNB, seconds: 60 })).to.equal(false)
    await database.sql`update charges set last_activity_at = now() - interval '2 minutes'`
    expect(await hasRecentCharges(sql, { chainId: BASE, seconds: 60 })).to.equal(false)
  })
})
