import { expect } from 'chai'
import { createSleepWatch } from '../../../indexer/chain-feed/sleep-watch.ts'
import { putToSleep, readSleepState, requestWake } from '../../../shared/db/chain-facts/daemon/sleeping.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { BASE } from '../../support/finished-work.ts'
import { insertPonderCharge } from '../../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'

/** A chain that no test wakes. */
const BNB = 56

describe('the watch of sleeping networks', () => {
  let database: TestDatabase
  let sql: TestDatabase['sql']
  /** Separate connections as the database owner. */
  let other: TestDatabase['sql']
  let watch: ReturnType<typeof createSleepWatch>
  let woken: number[]

  before(async () => {
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    other = connectForTest(database.url.owner)
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, head_number)
      values (${BASE}, 'base', 'live', 'evm', 3, 2000, 100), (${BNB}, 'bnb', 'live', 'evm', 3, 450, 100)`
    await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
  })

  after(async () => {
    await Promise.all([sql.end(), other.end()])
    await database.drop()
  })

  beforeEach(async () => {
    await database.sql`update deployments set asleep_since = null, wake_requested_at = null, owner_epoch = 0`
    for (const chainId of [BASE, BNB]) await putToSleep(sql, { chainId, headNumber: 100, ownerEpoch: 0 })
    woken = []
    watch = createSleepWatch({ sql, log: recordingLog().log })
    for (const chainId of [BASE, BNB]) watch.sleepOf(chainId).onWake(() => woken.push(chainId))
  })

  afterEach(() => watch.part.stop?.())

  async function untilKnown(): Promise<void> {
    await waitFor(() => watch.sleepOf(BASE).isAsleep(), { what: 'the first poll', timeoutMs: 10_000 })
  }

  async function untilWoken(): Promise<void> {
    await waitFor(() => woken.length > 0, { what: 'the network to wake', timeoutMs: 10_000, intervalMs: 5 })
  }

  it('treats every network as awake until it has read which networks sleep', () => {
    expect(watch.sleepOf(BASE).isAsleep()).to.equal(false)
  })

  it('wakes the loops of a network when a charge that accepts it is created', async () => {
    await watch.part.start()
    await untilKnown()
    await insertPonderCharge(database.sql, { chainId: BASE })
    await untilWoken()
    expect(woken).to.deep.equal([BASE])
    expect(watch.sleepOf(BASE).isAsleep()).to.equal(false)
    expect(watch.sleepOf(BNB).isAsleep()).to.equal(true)
  })

  it('wakes a network whose row was locked when the charge was created', async () => {
    await watch.part.start()
    await untilKnown()
    await database.sql.begin(async (db) => {
      await db`select from deployments where chain_id = ${BASE} for no key update`
      await insertPonderCharge(other, { chainId: BASE })
      expect(await readSleepState(other, BASE)).to.include({ isWakeRequested: false })
    })
    await untilWoken()
    expect(await readSleepState(sql, BASE)).to.include({ isWakeRequested: true })
  })

  it('wakes the loops at the next poll if no notification arrives', async () => {
    watch.loop.start()
    await untilKnown()
    await requestWake(sql, BASE)
    await untilWoken()
    expect(woken).to.deep.equal([BASE])
  })

  it('wakes the loops for an operator’s order to repair the feed', async () => {
    watch.loop.start()
    await untilKnown()
    await database.sql`update deployments set repair_requested_at = now() where chain_id = ${BASE}`
    await untilWoken()
    await database.sql`update deployments set repair_requested_at = null`
    expect(woken).to.deep.equal([BASE])
  })
})
