import { expect } from 'chai'
import { type AuthorizationStage, PAYER, setAuthorizationStage } from '../../support/authorization-stage.ts'
import { addressOf, CONFIRMATIONS, type Stage } from '../../support/payout-stage.ts'
import { stageForEach } from '../../support/payout-stage-for-each.ts'

describe('a payment by signature', function () {
  this.timeout(60_000)
  let stage: Stage
  let signing: AuthorizationStage

  stageForEach(async (fresh) => {
    stage = fresh
    signing = await setAuthorizationStage(stage)
  })
  afterEach(() => signing.close())

  it('is mined with our gas, answered with its hash, and credited by the feed alone', async () => {
    const charge = await stage.openCharge()
    const request = await signing.ask(charge)
    const { turn, follow, relayer } = signing.cast()
    await turn()
    expect(await signing.answerOf(request), 'in flight').to.equal(null)
    await stage.mine()
    await Promise.all([relayer.turn(), follow()])
    const [mined] = await signing.authorizations()
    expect(mined?.status).to.equal('mined')
    expect(await signing.answerOf(request)).to.deep.equal({ outcome: 'mined', txHash: mined?.txHash })
    expect(await stage.balanceOf(charge.address)).to.equal(10_000_000n)
    expect((await stage.chargeOf(charge)).status, 'nothing is credited by our receipt').to.equal('pending')

    await stage.settle()
    expect((await stage.chargeOf(charge)).status).to.equal('confirmed')
    await relayer.turn()
    await follow()
    expect((await signing.authorizations()).map(({ status }) => status)).to.deep.equal(['final'])
    expect(await stage.node.getBalance({ address: PAYER.address }), 'the payer has no coin').to.equal(0n)
    expect(await stage.balanceOf(addressOf(PAYER.address))).to.equal(990_000_000n)
    expect(CONFIRMATIONS).to.be.greaterThan(1)
  })
})
