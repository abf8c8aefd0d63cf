import { expect } from 'chai'
import { LIE_KINDS } from './model/lie-kinds.ts'
import { drawPlan } from './plan.ts'
import type { PlannedTrouble } from './plan-faults.ts'

describe('the plan of a history', () => {
  it('always lets another node of the chain show the data that one node omits', () => {
    const both = Array.from({ length: 2_000 }, (_, seed) => drawPlan(seed).troubles).flatMap((troubles) =>
      troubles.filter((trouble, index) => troubles.slice(0, index).some((other) => areBlind(trouble, other))),
    )
    expect(both).to.deep.equal([])
  })

  it('lets at most one node of each chain lie, and any node can be the liar', () => {
    const plans = Array.from({ length: 500 }, (_, seed) => drawPlan(seed))
    const liars = plans.map(({ troubles }) => [
      ...new Set(troubles.flatMap((one) => (one.kind === 'lie' ? [`${one.chainId}/${one.nodeIndex}`] : []))),
    ])
    const chainsOf = (some: readonly string[]) => some.map((liar) => liar.split('/')[0])
    expect(liars.filter((some) => new Set(chainsOf(some)).size < some.length)).to.deep.equal([])
    const indexes = new Set(liars.flat().map((liar) => liar.split('/')[1]))
    expect([...indexes]).to.have.members(['0', '1', '2'])
  })

  it('draws every kind of lie, and leaves about half of all histories without a lie', () => {
    const lies = Array.from({ length: 500 }, (_, seed) =>
      drawPlan(seed).troubles.flatMap((one) => (one.kind === 'lie' ? one.lies : [])),
    )
    expect(new Set(lies.flat())).to.have.all.keys(...LIE_KINDS)
    expect(lies.filter((some) => some.length > 0).length).to.be.within(150, 300)
  })
})

/** Whether two nodes of a chain omit the same data at the same time. */
function areBlind(one: PlannedTrouble, other: PlannedTrouble): boolean {
  if (one.kind !== 'node' || other.kind !== 'node') return false
  if (one.chainId !== other.chainId || one.nodeIndex === other.nodeIndex) return false
  const modes = [one.mode, other.mode].toSorted().join(' and ')
  const isBlind = /omitting/.test(modes) || modes === 'gappy and partial'
  const leaveOut = [one, other].every(({ mode }) => ['omitting', 'partial', 'gappy'].includes(mode))
  return leaveOut && isBlind && Math.max(one.atMs, other.atMs) < Math.min(endOf(one), endOf(other))
}

function endOf({ atMs, forMs }: PlannedTrouble): number {
  return atMs + forMs
}
