import { expect } from 'chai'
import { createNodeHealth } from '../../../../shared/chain/nodes/node-health.ts'
import { queryFirst } from '../../../../shared/chain/nodes/query-nodes.ts'

type Outcome = 'works' | 'reverts' | 'dead' | 'hangs'

const never = new Promise<never>(() => undefined)

/** Queries one node per outcome, each with its own operator. */
function simulate(outcomes: readonly Outcome[]) {
  const nodes = outcomes.map((outcome, index) => ({ name: `n${index}`, operator: `o${index}`, outcome }))
  return queryFirst(
    { nodes, quorum: 2, getTrusted: () => null, health: createNodeHealth() },
    {
      read: async ({ outcome }) => {
        if (outcome === 'dead') throw new Error('dead')
        return outcome === 'hangs' ? never : outcome
      },
      toText: String,
      decides: (outcome) => outcome === 'works',
      ...{ subject: 'a simulation', hedgeMs: 10 },
    },
  )
}

describe('queryFirst', () => {
  for (const outcomes of [
    ['works', 'reverts'],
    ['reverts', 'works'],
    ['works', 'dead'],
    ['works', 'hangs'],
    ['hangs', 'reverts', 'works'],
  ] as const)
    it(`returns a success that a single node reports (${outcomes.join(', ')})`, async () => {
      expect(await simulate(outcomes)).to.equal('works')
    })

  it('returns a revert if a quorum reports it', async () => {
    expect(await simulate(['reverts', 'dead', 'reverts'])).to.equal('reverts')
  })

  it('throws rpc_unavailable if only one node reports a revert', async () => {
    const thrown: unknown = await simulate(['reverts', 'dead']).catch((error: unknown) => error)
    expect(thrown).to.include({ code: 'rpc_unavailable' })
  })
})
