import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { createSleepCheck } from './sleep-invariants.ts'

const START_MS = Date.parse('2026-11-20T12:00:00.000Z')

describe('the invariant that a network with something to watch does not sleep', () => {
  let database: TestDatabase
  let nowMs: number
  let find: () => Promise<readonly string[]>

  before(async () => {
    database = await createTestDatabase({ isMigrated: false })
    await database.sql.unsafe(`
      create table deployments (chain_id int8, asleep_since timestamptz);
      create table charges (id text, accepted_chains int8[], status text);
      create table payouts (id int8, chain_id int8, status text);
      create table held_shares (id int8, chain_id int8, held_atomic int8);
      create table refunds (id text, chain_id int8, status text);
      create table transfers (id int8, chain_id int8, accepted boolean, credited_at timestamptz, inclusion text);
      create table split_events (id int8, chain_id int8, applied_at timestamptz, inclusion text)`)
  })

  beforeEach(async () => {
    await database.sql`
      truncate deployments, charges, payouts, held_shares, refunds, transfers, split_events`
    await database.sql`insert into deployments values (1, null), (2, null)`
    nowMs = START_MS
    find = createSleepCheck({ database, nowMs: () => nowMs })
  })

  after(() => database.drop())

  const WORK: readonly (readonly [what: string, sql: string])[] = [
    ['open charge ch_1', "insert into charges values ('ch_1', '{1}', 'pending')"],
    ['unfinished payout 1', "insert into payouts values (1, 1, 'failed')"],
    ['held share 1', 'insert into held_shares values (1, 1, 5)'],
    ['open refund rf_1', "insert into refunds values ('rf_1', 1, 'awaiting_payment')"],
    ['uncounted transfer 1', "insert into transfers values (1, 1, true, null, 'included')"],
    ['uncounted split event 1', "insert into split_events values (1, 1, null, 'missing')"],
  ]
  for (const [what, sql] of WORK)
    it(`fails if a network falls asleep despite the ${what}`, async () => {
      await database.sql.unsafe(sql)
      expect(await after41SecondsAsleep(1)).to.deep.equal([`a network fell asleep despite the ${what} on 1`])
    })

  it('holds if a network without work falls asleep', async () => {
    await database.sql.unsafe(WORK[0]?.[1] ?? '')
    expect(await after41SecondsAsleep(2)).to.deep.equal([])
  })

  it('holds if all work of the network is finished', async () => {
    await database.sql.unsafe(`
      insert into charges values ('ch_1', '{1}', 'expired');
      insert into payouts values (1, 1, 'completed');
      insert into held_shares values (1, 1, 0);
      insert into refunds values ('rf_1', 1, 'confirmed');
      insert into transfers values (1, 1, true, now(), 'included'), (2, 1, false, null, 'included');
      insert into split_events values (1, 1, null, 'orphaned')`)
    expect(await after41SecondsAsleep(1)).to.deep.equal([])
  })

  it('fails if a network does not wake within five minutes for work that appears while it sleeps', async () => {
    await sleepAt(nowMs)
    await database.sql.unsafe(WORK[0]?.[1] ?? '')
    expect(await find()).to.deep.equal([])
    nowMs += 300_000
    expect(await find()).to.deep.equal([])
    nowMs += 1
    expect(await find()).to.deep.equal(['a network does not wake for the open charge ch_1 on 1'])
  })

  /** Returns the violations if the network falls asleep after the work has existed for 41 seconds. */
  async function after41SecondsAsleep(chainId: number): Promise<readonly string[]> {
    expect(await find()).to.deep.equal([])
    nowMs += 41_000
    await sleepAt(nowMs, chainId)
    return find()
  }

  async function sleepAt(atMs: number, chainId = 1): Promise<void> {
    await database.sql`update deployments set asleep_since = ${new Date(atMs)} where chain_id = ${chainId}`
  }
})
