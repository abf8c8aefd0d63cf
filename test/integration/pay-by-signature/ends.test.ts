import { expect } from 'chai'
import { cancelAuthorization } from '../../support/cancel-authorization.ts'
import {
  createPayBySignatureFixture,
  type PayBySignatureFixture,
  type Written,
} from '../../support/pay-by-signature-fixture.ts'
import { CONFIRMATIONS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'

const NOT_SENT = () => Promise.resolve()

/** Every payment in flight must end, regardless of what its payer does. */
describe('a payment by signature canceled after its window', function () {
  this.timeout(60_000)
  let stage: Stage
  let signing: PayBySignatureFixture
  let written: Written
  let request: string

  stageForEach(async (fresh) => {
    stage = fresh
    signing = await createPayBySignatureFixture(stage)
    const charge = await stage.openCharge()
    written = await signing.sign(charge)
    request = (await signing.request(charge, written)) ?? ''
    await signing.cast({ broadcast: NOT_SENT }).turn()
    stage.advance(301)
    await stage.node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(stage.time.now.getTime() / 1000)) })
    await stage.mine(1_100) // More blocks than the range of one log query.
    await cancelAuthorization({ stage, signing }, written)
  })
  afterEach(() => signing.close())

  it('is expired, even if it is checked more than 1,100 blocks later', async () => {
    await stage.mine(CONFIRMATIONS + 1)
    await signing.cast({ rpcUrls: [stage.rpcUrl] }).follow()
    expect((await signing.authorizations()).map(({ status }) => status)).to.deep.equal(['expired'])
    expect(await signing.answerOf(request)).to.deep.include({ param: 'validBefore' })
  })
})
