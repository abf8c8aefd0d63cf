import { expect } from 'chai'
import { ABOVE_BLOCKS } from './model/other-chain.ts'
import { drawPlan } from './plan.ts'

const plans = Array.from({ length: 1_000 }, (_, seed) => drawPlan(seed))

describe('the planned repairs of feeds', () => {
  const planned = plans.flatMap((plan) => plan.repairs.map((repair) => ({ plan, repair })))
  const orders = planned.flatMap(({ repair }) => repair.orders)

  it('occur in about an eighth of all histories, each on one of the history’s chains', () => {
    expect(planned.length).to.be.within(80, 160)
    for (const { plan, repair } of planned)
      expect(plan.deployments.some(({ chainId }) => chainId === repair.chainId)).to.equal(true)
  })

  it('together cover every fault and the case without a fault, every start block, one and two orders, and deaths of daemons', () => {
    expect(new Set(planned.map(({ repair }) => repair.fault))).to.have.property('size', 5)
    expect(new Set(orders.map(({ from }) => from))).to.have.property('size', 4)
    expect(planned.every(({ repair }) => [1, 2].includes(repair.orders.length))).to.equal(true)
    expect(planned.some(({ repair }) => repair.orders.length === 2)).to.equal(true)
    expect(planned.some(({ repair }) => repair.deathsMs.length > 0)).to.equal(true)
    expect(planned.some(({ repair }) => repair.killedAfterMs.length > 0)).to.equal(true)
  })

  it('are requested after the feed’s fault and before the history’s faults end, and the last request can be carried out', () => {
    for (const { plan, repair } of planned) {
      const times = repair.orders.map(({ atMs }) => atMs)
      expect(times).to.deep.equal(times.toSorted((a, b) => a - b))
      expect(repair.atMs).to.be.below(times[0] ?? 0)
      expect(times.at(-1)).to.be.below(plan.troubledMs)
      expect(repair.orders.at(-1)?.from).not.to.equal('above the chain')
    }
  })

  it('move the first block of a feed that begins on another chain, and of no other feed', () => {
    for (const { deployments, repairs } of plans)
      for (const { chainId, startBlock } of deployments) {
        const isMoved = repairs.some(
          (repair) => repair.chainId === chainId && repair.fault === 'begins on another chain',
        )
        expect(startBlock).to.equal(isMoved ? ABOVE_BLOCKS : 0)
      }
  })
})

describe('the planned quarantines of charges', () => {
  const planned = plans.flatMap((plan) => plan.quarantines.map((quarantine) => ({ plan, quarantine })))

  it('occur in about an eighth of all histories', () => {
    const count = plans.filter(({ quarantines }) => quarantines.length > 0).length
    expect(count).to.be.within(80, 160)
  })

  it('together cover every cause, all charges at once and early releases, and end before the history’s faults end', () => {
    expect(new Set(planned.map(({ quarantine }) => quarantine.kind))).to.have.property('size', 2)
    expect(planned.some(({ quarantine }) => quarantine.chargeIndex === null)).to.equal(true)
    expect(planned.some(({ quarantine }) => quarantine.isReleasedEarly)).to.equal(true)
    for (const { plan, quarantine } of planned) {
      expect(quarantine.chargeIndex ?? 0).to.be.below(plan.charges.length)
      expect(quarantine.atMs).to.be.above(0)
      expect(quarantine.atMs + quarantine.forMs).to.be.below(plan.troubledMs)
    }
  })
})
