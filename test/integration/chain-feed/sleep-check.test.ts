import { expect } from 'chai'
import { createSleepCheck } from '../../../indexer/chain-feed/sleep-check.ts'
import { putToSleep } from '../../../shared/db/chain-facts/daemon/sleeping.ts'
import { BASE, insertFinishedWork } from '../../support/finished-work.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'

describe('the check of a sleeping network', () => {
  let database: TestDatabase
  let sql: TestDatabase['sql']
  let nowMs: number

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, head_number)
      values (${BASE}, 'base', 'live', 'evm', 3, 2000, 100)`
  })

  after(async () => {
    await sql.end()
    await database.drop()
  })

  beforeEach(async () => {
    nowMs = 0
    await database.sql`
      update deployments set asleep_since = null, wake_requested_at = null, max_head_number = null, owner_epoch = 0`
    await putToSleep(sql, { chainId: BASE, headNumber: 100, ownerEpoch: 0 })
  })

  function createCheck() {
    return createSleepCheck({
      ...{ sql, deployment: { chainId: BASE, finalityBlocks: 30 }, sleepAfterSeconds: 90_000 },
      ...{ log: recordingLog().log, onSleepChange: () => undefined, now: () => new Date(nowMs) },
    })
  }

  const heads = async () => {
    const [row] = await sql`
      select sleep_head_number, max_head_number from deployments where chain_id = ${BASE}`
    return [row?.['sleepHeadNumber'], row?.['maxHeadNumber']]
  }

  it('uses the lower height of the last two checks', async () => {
    const check = createCheck()
    for (const height of [200, 9_000_000, 210]) {
      nowMs += 60_000
      await check.look(height, true)
    }
    expect(await heads()).to.deep.equal([210, 210])
  })

  it('is repeated without delay until a second check has read a height', async () => {
    const check = createCheck()
    await check.look(200, true)
    expect(check.isDue()).to.equal(true)
    await check.look(201, true)
    expect(check.isDue()).to.equal(false)
    expect(await heads()).to.deep.equal([200, 200])
  })

  it('is due when another daemon has put the network to sleep since the last check', async () => {
    const check = createCheck()
    await database.sql`update deployments set asleep_since = null`
    await check.look(200, true)
    expect(check.isDue()).to.equal(false)
    await putToSleep(sql, { chainId: BASE, headNumber: 100, ownerEpoch: 0 })
    await check.readState()
    expect(check.isDue()).to.equal(true)
  })
})

describe('a network with finished work', () => {
  let database: TestDatabase
  let sql: TestDatabase['sql']

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await insertFinishedWork(database.sql, 200)
    await database.sql`update charges set status = 'expired' where status in ('pending', 'partially_paid')`
    await database.sql`update charges set last_activity_at = now() - interval '30 days'`
    await database.sql`
      update deployments set watched_at = now() - interval '30 days', head_number = 130`
  })

  after(async () => {
    await sql.end()
    await database.drop()
  })

  it('stays awake until no reorganization can remove a payment, even if the configured delay is one second', async () => {
    const atBlock = (block: number) =>
      database.sql`update transfers set block_number = ${block} where chain_id = ${BASE}`
    await atBlock(101)
    expect(await isAsleepAfterCheck()).to.equal(false)
    await atBlock(100)
    expect(await isAsleepAfterCheck()).to.equal(true)
  })

  /** Returns whether the network sleeps after a check at block 130, when block 100 is final. */
  async function isAsleepAfterCheck(): Promise<boolean> {
    await database.sql`update deployments set watched_at = now() - interval '30 days'`
    const check = createSleepCheck({
      ...{ sql, deployment: { chainId: BASE, finalityBlocks: 30 }, sleepAfterSeconds: 1 },
      ...{ log: recordingLog().log, onSleepChange: () => undefined, now: () => new Date() },
    })
    await check.look(130, true)
    return (await check.readState()).isAsleep
  }
})
