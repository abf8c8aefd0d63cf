import { expect } from 'chai'

import { openPayouts } from '../../../indexer/payouts/open-payouts.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import {
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
  setStage,
  startChain,
  type TestChain,
} from '../../support/payout-fixture.ts'

describe('openPayouts', () => {
  let chain: TestChain
  let stage: Stage

  before(async function () {
    this.timeout(240_000)
    chain = await startChain()
  })

  after(() => chain.stop())

  beforeEach(async () => {
    stage = await setStage(chain)
  })

  afterEach(() => stage.close())

  it('opens a payout and offers it to the keepers for the grace period', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    const graceEndsAt = new Date(stage.time.now.getTime() + GRACE_SECONDS * 1000)
    expect(await stage.payoutOf(charge)).to.deep.include({ status: 'pending', attempts: 0, graceEndsAt })
    const [available, ...others] = await stage.feed()
    expect(others).to.deep.equal([])
    expect(available?.type).to.equal('distribution.available')
    expect(available?.distribution?.splitAddress.toLowerCase()).to.equal(charge.splitAddress)
    expect(available?.distribution?.graceEndsAt).to.equal(graceEndsAt.toISOString())
  })

  it('changes nothing and sends no second offer if it is repeated', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    const before = await stage.payoutOf(charge)
    stage.advance(10)
    await open(charge)
    expect(await stage.payoutOf(charge)).to.deep.equal(before)
    expect(await stage.feed()).to.have.length(1)
  })

  it('reopens a completed payout for late funds, with a new schedule', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    await stage.sql`
      update payouts set status = 'completed', completed_at = now(), attempts = 3`
    await stage.sql`update charge_ledgers set distributed_atomic = credited_atomic`
    await open(charge)
    expect(await stage.payoutOf(charge), 'nothing is owed').to.include({ status: 'completed' })

    await stage.sql`update charge_ledgers set credited_atomic = credited_atomic + 5`
    stage.advance(1000)
    await open(charge)
    expect(await stage.payoutOf(charge)).to.deep.include({
      status: 'pending',
      attempts: 0,
      nextAttemptAt: new Date(stage.time.now.getTime() + GRACE_SECONDS * 1000),
    })
    expect(await stage.feed()).to.have.length(2)
  })

  it('lets the worker check dust sooner after another payment', async () => {
    const charge = await stage.pay({ amount: 1n, status: 'underpaid' })
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    const waiting = await stage.payoutOf(charge)
    await open(charge)
    const { nextAttemptAt } = await stage.payoutOf(charge)
    expect(nextAttemptAt.getTime()).to.equal(stage.time.now.getTime() + GRACE_SECONDS * 1000)
    expect(nextAttemptAt).to.be.below(waiting.nextAttemptAt)
  })

  it('costs no transaction for one atomic unit sent a hundred times to a settled charge', async () => {
    const charge = await stage.pay({ amount: 10_000_000n })
    await stage.sql`
      update payouts set status = 'completed', completed_at = now()`
    await stage.sql`update charge_ledgers set distributed_atomic = credited_atomic`
    await stage.sql`update charges set settlement_status = 'completed', settled_at = now()`
    const { turn } = stage.cast()
    for (let unit = 1; unit <= 100; unit += 1) {
      await stage.sql`update charge_ledgers set credited_atomic = credited_atomic + 1`
      await open(charge)
      stage.advance(GRACE_SECONDS)
      await turn()
    }
    expect(await stage.relayerTransactions()).to.have.length(0)
  })

  async function open({ chargeId }: PaidCharge): Promise<void> {
    await inTransaction(stage.sql, (db) =>
      openPayouts(db, { chargeIds: [chargeId], graceSeconds: GRACE_SECONDS, nowDate: stage.time.now }),
    )
  }
})
