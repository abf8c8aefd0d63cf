import { expect } from 'chai'
import { drawPlan } from './plan.ts'
import { ARC_DEPLOYMENTS } from './world.ts'

const ARC_IDS = ARC_DEPLOYMENTS.map(({ chainId }) => chainId)
const PLANS = Array.from({ length: 1_000 }, (_, seed) => drawPlan(seed))
const ARC_PLANS = PLANS.filter(({ deployments }) =>
  deployments.some(({ chainId }) => ARC_IDS.includes(chainId)),
)

describe('the plan of a history on Arc', () => {
  it('is drawn for about an eighth of all histories, with Arc as one of up to three chains', () => {
    expect(ARC_PLANS.length).to.be.within(90, 160)
    for (const { deployments } of ARC_PLANS)
      expect(deployments.filter(({ chainId }) => ARC_IDS.includes(chainId))).to.have.length(1)
  })

  it('refers only to chains of the history', () => {
    for (const plan of ARC_PLANS) {
      const ids = plan.deployments.map(({ chainId }) => chainId)
      const dust = [...plan.dust.values()].flat()
      const named = [
        ...plan.charges.flatMap(({ payments }) => payments),
        ...plan.troubles,
        ...plan.orders,
        ...dust,
      ]
      expect(ids).to.include.members([...new Set(named.map(({ chainId }) => chainId))])
      expect(ids).to.include.members([...plan.aheadMs.keys(), ...(plan.sleep?.asleep ?? [])])
    }
  })

  it('sends some payments as coins, with and without a fraction of a token unit, and others as tokens', () => {
    const payments = ARC_PLANS.flatMap(({ charges }) => charges.flatMap((charge) => charge.payments)).filter(
      ({ chainId }) => ARC_IDS.includes(chainId),
    )
    const extras = new Set(payments.map(({ extraAtto }) => extraAtto))
    expect(extras).to.include.keys([undefined, -1n, 0n, 600_000_000_000n])
  })

  it('never reorganizes Arc, whose blocks are final immediately', () => {
    const troubles = ARC_PLANS.flatMap((plan) =>
      plan.troubles.filter(({ chainId }) => ARC_IDS.includes(chainId)),
    )
    expect(troubles.filter(({ kind }) => kind === 'reorganization')).to.deep.equal([])
    expect(troubles.filter(({ kind }) => kind === 'lie')).not.to.deep.equal([])
  })
})
