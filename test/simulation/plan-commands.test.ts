import { expect } from 'chai'
import { drawPlan } from './plan.ts'

describe('the planned commands of operators', () => {
  const plans = Array.from({ length: 400 }, (_, seed) => drawPlan(seed))

  it('let operators trust only nodes that neither lie nor omit data, except in planned mistakes', () => {
    const trusts = plans.flatMap((plan) =>
      plan.commands.flatMap((command) => (command.kind === 'trust node' ? [{ plan, ...command }] : [])),
    )
    const wrong = trusts.filter(({ plan, chainId, nodeIndex }) =>
      [...plan.troubles, ...plan.losses].some(
        (each) =>
          (each.kind === 'lie' || (each.kind === 'node' && !isHarmless(each))) &&
          each.chainId === chainId &&
          each.nodeIndex === nodeIndex,
      ),
    )
    expect(wrong).to.deep.equal([])
    expect(trusts).to.have.length.above(20)
  })

  it('contain every kind of command', () => {
    const kinds = new Set(plans.flatMap(({ commands }) => commands.map(({ kind }) => kind)))
    expect(kinds).to.have.all.keys(
      ...['trust node', 'end unconfirmed charges', 'import charge', 'strike rows', 'trust liar'],
    )
  })
})

function isHarmless(trouble: object): boolean {
  return (
    'mode' in trouble && ['silent', 'failing', 'limited', 'stuck', 'behind'].includes(String(trouble.mode))
  )
}
