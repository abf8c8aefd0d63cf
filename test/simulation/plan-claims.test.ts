import { expect } from 'chai'
import { drawPlan } from './plan.ts'
import { NO_CLAIMS } from './plan-claims.ts'

describe('the planned refunds whose payers name the destination', () => {
  const plans = Array.from({ length: 600 }, (_, seed) => drawPlan(seed))
  const withClaims = plans.filter(({ claims }) => claims.size > 0)

  it('are in at least a tenth of all histories, and only for paid charges without an escrow', () => {
    expect(withClaims.length).to.be.within(60, 140)
    for (const { claims, charges, escrows } of withClaims)
      for (const index of claims.keys()) {
        expect(charges[index]?.payments).to.have.length.above(0)
        expect(escrows.has(index)).to.equal(false)
      }
    expect(plans.some(({ claims }) => claims === NO_CLAIMS.claims)).to.equal(true)
  })

  it('contain every kind of end, every time at which a link is replaced, and zero to two rejections', () => {
    const all = withClaims.flatMap(({ claims }) => [...claims.values()].flat())
    expect(new Set(all.map(({ end }) => end))).to.have.property('size', 6)
    expect(new Set(all.map(({ renews }) => renews))).to.have.property('size', 3)
    expect(new Set(all.map(({ rejections }) => rejections))).to.have.property('size', 3)
  })
})
