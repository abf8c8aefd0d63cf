import { expect } from 'chai'
import { listHeadAges } from '../../../shared/db/chain-facts/daemon/head-ages.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { listPayoutBacklog } from '../../../shared/db/payouts/daemon/payout-backlog.ts'
import { inTransaction, onConnectionWait } from '../../../shared/db/transaction.ts'
import { BASE, insertFinishedWork } from '../../support/finished-work.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { STALE_AFTER } from '../../support/rows.ts'

const BNB = 56

describe('the backlog figures for operators', () => {
  let database: TestDatabase
  let daemon: Sql

  before(async () => {
    database = await createTestDatabase()
    daemon = connectForTest(database.url.daemon)
    await insertFinishedWork(database.sql, 300)
  })
  after(async () => {
    await daemon.end()
    await database.drop()
  })

  it('include the age of the oldest payout that is not held, and the numbers of held and failed payouts', async () => {
    const { sql } = database
    expect(await listPayoutBacklog(daemon, [BASE, BNB])).to.deep.equal([
      { chainId: BASE, oldestSeconds: 0, held: 0, failed: 0 },
      { chainId: BNB, oldestSeconds: 0, held: 0, failed: 0 },
    ])
    const [waiting, held, failed] = await sql<{ id: number }[]>`select id from payouts order by id limit 3`
    await sql`
      update payouts set status = 'pending', completed_at = null, available_since = now() - interval '100 seconds'
      where id = ${waiting?.id ?? 0}`
    await sql`
      update payouts set status = 'pending', completed_at = null, held_since = now(),
        available_since = now() - interval '1 day' where id = ${held?.id ?? 0}`
    await sql`update payouts set status = 'failed', completed_at = null where id = ${failed?.id ?? 0}`
    const [base, bnb] = await listPayoutBacklog(daemon, [BASE, BNB])
    expect(base).to.include({ held: 1, failed: 1 })
    expect(base?.oldestSeconds, 'without held payouts').to.be.within(100, 160)
    expect(bnb).to.include({ oldestSeconds: 0, held: 0, failed: 0 })
  })

  it('include the age of each chain’s head and whether it is stale by the API’s rule, except for an abandoned network', async () => {
    const { sql } = database
    await sql`update deployments set max_head_at = now() - interval '121 seconds' where chain_id = ${BASE}`
    await sql`update deployments set max_head_at = now() - interval '100 seconds' where chain_id = ${BNB}`
    const asked = { chainIds: [BASE, BNB], staleAfter: STALE_AFTER }
    const byChain = async () => new Map((await listHeadAges(daemon, asked)).map((row) => [row.chainId, row]))
    expect((await byChain()).get(BASE)?.ageSeconds).to.be.within(121, 180)
    expect((await byChain()).get(BASE)?.isStale).to.equal(true)
    expect((await byChain()).get(BNB)?.isStale).to.equal(false)
    await sql`update deployments set max_head_at = null where chain_id = ${BNB}`
    expect((await byChain()).get(BNB)).to.deep.equal({
      ...{ chainId: BNB, ageSeconds: null, isStale: true, isAsleep: false },
    })
    await sql`update deployments set abandoned_at = now() where chain_id = ${BNB}`
    expect([...(await byChain()).keys()]).to.deep.equal([BASE])
  })

  it('report even a new head as stale if no quorum of nodes has responded for two minutes', async () => {
    const isStale = async (seconds: number) => {
      await database.sql`
        update deployments set max_head_at = now(), quorum_responded_at = now() - make_interval(secs => ${seconds})
        where chain_id = ${BASE}`
      const [age] = await listHeadAges(daemon, { chainIds: [BASE], staleAfter: STALE_AFTER })
      return age?.isStale
    }
    expect(await isStale(100)).to.equal(false)
    expect(await isStale(121)).to.equal(true)
  })
})

describe('the wait for a connection', () => {
  it('is measured for each transaction, and includes the time until the pool has a free connection', async () => {
    const database = await createTestDatabase()
    const sql = connectForTest(database.url.api)
    const waits: number[] = []
    onConnectionWait(sql, (seconds) => waits.push(seconds))
    const everybody = Array.from({ length: 4 }, () => inTransaction(sql, (db) => db`select pg_sleep(0.5)`))
    const late = inTransaction(sql, (db) => db`select 1`)
    await Promise.all([...everybody, late])
    await sql.end()
    await database.drop()
    expect(waits).to.have.length(5)
    expect(waits[4], 'the fifth transaction waits for one of the four connections').to.be.above(0.3)
  })
})
