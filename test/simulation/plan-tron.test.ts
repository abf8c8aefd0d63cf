import { expect } from 'chai'
import { drawPlan } from './plan.ts'
import { CONFIRMATIONS, TRON_DEPLOYMENTS } from './world.ts'

const TRON_IDS = TRON_DEPLOYMENTS.map(({ chainId }) => chainId)
const PLANS = Array.from({ length: 1_000 }, (_, seed) => drawPlan(seed))
const TRON_PLANS = PLANS.filter(({ deployments }) => deployments.some(({ family }) => family === 'tron'))

describe('the plan of a history on TRON', () => {
  it('is drawn for about an eighth of all histories, with TRON as one of up to three chains', () => {
    expect(TRON_PLANS.length).to.be.within(80, 150)
    for (const { deployments } of TRON_PLANS)
      expect(deployments.filter(({ family }) => family === 'tron')).to.have.length(1)
  })

  it('refers only to chains of the history', () => {
    for (const plan of TRON_PLANS) {
      const ids = plan.deployments.map(({ chainId }) => chainId)
      const dust = [...plan.dust.values()].flat()
      const payments = plan.charges.flatMap((charge) => charge.payments)
      const named = [...payments, ...plan.troubles, ...plan.orders, ...dust]
      expect(ids).to.include.members([...new Set(named.map(({ chainId }) => chainId))])
    }
  })

  it('sends most payments of charges that accept TRON on TRON, and gives these charges no escrow and no signatures', () => {
    const payments = TRON_PLANS.flatMap(({ charges }) =>
      charges.filter(({ isOnTron }) => isOnTron).flatMap((charge) => charge.payments),
    )
    const there = payments.filter(({ chainId }) => TRON_IDS.includes(chainId))
    expect(there.length / payments.length).to.be.above(0.85)
    for (const { charges, escrows, signatures } of TRON_PLANS)
      for (const index of [...escrows.keys(), ...signatures.keys()])
        expect(charges[index]?.isOnTron).not.to.equal(true)
  })

  it('never reorganizes a solidified block', () => {
    const depths = TRON_PLANS.flatMap(({ troubles }) =>
      troubles.flatMap((one) =>
        one.kind === 'reorganization' && TRON_IDS.includes(one.chainId) ? one.depth : [],
      ),
    )
    expect(Math.max(...depths)).to.equal(CONFIRMATIONS - 1)
  })
})
