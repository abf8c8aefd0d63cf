import { expect } from 'chai'
import type { Sql } from '../../../shared/db/connect.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { createTestFeed, PONDER_TIMEOUT_MS } from '../../support/ponder-fixture.ts'
import { listPonders } from '../../support/ponder-processes.ts'
import { connectForTest } from '../../support/postgres.ts'
import { createTronFeedFixture } from '../../support/tron-feed-fixture.ts'

describe('a TRON network with nothing to watch', function () {
  this.timeout(2 * PONDER_TIMEOUT_MS)

  let stage: Awaited<ReturnType<typeof createTronFeedFixture>>
  let sql: Sql
  let feed: ReturnType<typeof createTestFeed>

  before(async () => {
    stage = await createTronFeedFixture()
    sql = connectForTest(stage.daemonUrl)
    feed = createTestFeed({ ...stage, sql }, { sleepAfterSeconds: 1 })
    await feed.start()
  })

  after(async () => {
    await feed?.stop()
    await sql?.end()
    await stage?.close()
  })

  it('sleeps, and records a payment that is made while it wakes', async () => {
    await waitFor(
      async () =>
        (await sql`select from deployments where asleep_since is not null`).length > 0 &&
        listPonders(process.pid).length === 0,
      { what: 'the network to sleep', timeoutMs: PONDER_TIMEOUT_MS },
    )
    // A transaction expires a minute after the time of the last block.
    await stage.chain.mine()
    const charge = await stage.addCharge()
    await stage.pay(charge.address, 7n)
    await stage.chain.mine()
    await waitFor(async () => (await stage.transfersTo(charge.address)).length === 1, {
      what: 'the payment to be seen',
      timeoutMs: PONDER_TIMEOUT_MS,
      intervalMs: 20,
    })
    await waitFor(
      async () => (await sql`select from transfers where ponder_schema is not null`).length === 1,
      {
        what: 'Ponder to show the payment',
        timeoutMs: PONDER_TIMEOUT_MS,
      },
    )
    expect(await stage.transfersTo(charge.address)).to.have.lengthOf(1)
  })
})
