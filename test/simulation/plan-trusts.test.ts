import { expect } from 'chai'
import { drawPlan } from './plan.ts'

describe('the planned long trusts of operators', () => {
  it('are in about a twentieth of all histories, and all other nodes of the chain are silent for the same time', () => {
    const trusts = Array.from({ length: 600 }, (_, seed) => drawPlan(seed)).flatMap((plan) =>
      plan.commands.flatMap((command) =>
        command.kind === 'trust node' && command.isLong === true ? [{ plan, command }] : [],
      ),
    )
    expect(trusts.length).to.be.within(24, 80)
    for (const { plan, command } of trusts) {
      const { chainId, nodeIndex, atMs, forMs } = command
      const nodes = plan.deployments.find((each) => each.chainId === chainId)?.nodes ?? []
      const silent = plan.troubles.filter(
        (one) => one.kind === 'node' && one.mode === 'silent' && one.chainId === chainId && one.atMs === atMs,
      )
      expect(silent).to.have.length(nodes.length - 1)
      expect(silent.some((one) => 'nodeIndex' in one && one.nodeIndex === nodeIndex)).to.equal(false)
      expect(silent.every((one) => one.forMs === forMs)).to.equal(true)
      expect(atMs + forMs).to.be.below(plan.troubledMs)
    }
  })
})
