import { expect } from 'chai'
import { GRACE_SECONDS, type Stage } from '../../support/payout-stage.ts'
import { stageForEach } from '../../support/payout-stage-for-each.ts'

describe('the signature of our key', () => {
  let stage: Stage

  stageForEach((fresh) => {
    stage = fresh
  })

  it('is not given for a charge whose payees follow from no configuration of the service', async () => {
    const forged = await stage.pay({ amount: 10_000_000n })
    await stage.sql`delete from service_terms`
    const honest = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()

    const transactions = await stage.relayerTransactions()
    expect(transactions.map(({ payoutId }) => payoutId)).to.deep.equal([(await stage.payoutOf(honest)).id])
    const { attempts, lastError } = await stage.payoutOf(forged)
    expect(lastError).to.match(/^will not sign: 0x[0-9a-f]{40} is no split of a charge$/)
    expect(attempts).to.equal(1)
  })
})
