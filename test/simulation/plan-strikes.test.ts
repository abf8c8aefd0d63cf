import { expect } from 'chai'
import { drawPlan } from './plan.ts'
import type { Plan } from './plan-types.ts'

describe('the planned strikes of operators', () => {
  const plans = Array.from({ length: 1_000 }, (_, seed) => drawPlan(seed))
  const chainsOf = (plan: Plan, kind: string) =>
    plan.commands.flatMap((command) =>
      command.kind === kind && 'chainId' in command ? [command.chainId] : [],
    )

  it('are in more than a twelfth of all histories, and mistaken trusts in more than a thirtieth', () => {
    const countOf = (kind: string) => plans.filter((plan) => chainsOf(plan, kind).length > 0).length
    expect(countOf('strike rows')).to.be.within(84, 200)
    expect(countOf('trust liar')).to.be.within(34, 150)
  })

  it('are never combined with an omission on a chain with a lying node, because the two nodes would deny a real row', () => {
    const wrong = plans.flatMap((plan) =>
      chainsOf(plan, 'strike rows').filter((chainId) => {
        const kinds = plan.troubles.filter((one) => one.chainId === chainId)
        const isLying =
          kinds.some(({ kind }) => kind === 'lie') ||
          plan.losses.some((loss) => loss.kind === 'node' && loss.chainId === chainId && loss.lies !== null)
        const omits = kinds.some(
          (one) => one.kind === 'node' && ['omitting', 'partial', 'gappy'].includes(one.mode),
        )
        return isLying && omits
      }),
    )
    expect(wrong).to.deep.equal([])
  })

  it('let a trusted lying node decide alone while it lies, and let every node deny its rows afterwards', () => {
    const liars = plans.flatMap((plan) =>
      plan.commands.flatMap((command) => (command.kind === 'trust liar' ? [{ plan, command }] : [])),
    )
    for (const { plan, command } of liars) {
      const { chainId, nodeIndex, atMs, forMs } = command
      const nodes = plan.deployments.find((one) => one.chainId === chainId)?.nodes ?? []
      const of = plan.troubles.filter(
        (one) => one.chainId === chainId && (one.kind === 'node' || one.kind === 'lie'),
      )
      expect(of).to.have.length(nodes.length)
      expect(of.every((one) => one.atMs === atMs && one.forMs === forMs)).to.equal(true)
      expect(of.find(({ kind }) => kind === 'lie')).to.include({ nodeIndex })
      expect(atMs + forMs).to.be.below(plan.troubledMs)
      expect(plan.losses.some((loss) => loss.kind === 'node' && loss.chainId === chainId)).to.equal(false)
    }
  })
})
