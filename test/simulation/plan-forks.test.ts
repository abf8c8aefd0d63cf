import { expect } from 'chai'
import { drawPlan } from './plan.ts'
import { LIED_BACK_BLOCKS } from './plan-faults.ts'

describe('the planned forks without transfers', () => {
  it('are in about a tenth of all histories, and all other nodes of the chain fail for the same time', () => {
    const planned = Array.from({ length: 600 }, (_, seed) => drawPlan(seed)).flatMap((plan) => {
      const last = plan.troubles.at(-1)
      const isFork = last?.kind === 'lie' && last.since > LIED_BACK_BLOCKS
      return isFork ? [{ plan, fork: last }] : []
    })
    expect(planned.length).to.be.within(30, 120)
    for (const { plan, fork } of planned) {
      const nodes = plan.deployments.find(({ chainId }) => chainId === fork.chainId)?.nodes ?? []
      const beside = plan.troubles.filter(
        (one) => one.kind === 'node' && one.chainId === fork.chainId && one.atMs === fork.atMs,
      )
      expect(beside.map((one) => (one.kind === 'node' ? one.mode : null))).to.have.members([
        'omitting',
        ...nodes.slice(1).map(() => 'failing'),
      ])
      const liars = plan.troubles.flatMap((one) =>
        one.kind === 'lie' && one.chainId === fork.chainId ? [one.nodeIndex] : [],
      )
      expect(new Set(liars).size).to.equal(1)
    }
  })
})
