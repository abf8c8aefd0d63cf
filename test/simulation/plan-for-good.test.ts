import { expect } from 'chai'
import { drawPlan } from './plan.ts'
import type { Plan } from './plan-types.ts'

const SEEDS = Array.from({ length: 500 }, (_, seed) => seed)

describe('the permanent losses of a history', () => {
  it('happen in a quarter to a half of all histories, each of which creates a charge after its faults', () => {
    const lossy = SEEDS.map((seed) => drawPlan(seed)).filter(({ losses }) => losses.length > 0)
    expect(lossy.length).to.be.within(SEEDS.length / 4, SEEDS.length / 2)
    for (const { charges, troubledMs } of lossy)
      expect(charges.some(({ atMs }) => atMs > troubledMs)).to.equal(true)
  })

  it('always leave a daemon, and a quorum of nodes of each chain', () => {
    for (const plan of SEEDS.map((seed) => drawPlan(seed))) expect(findTooMany(plan)).to.deep.equal([])
  })

  it('never make a second node of a chain lie', () => {
    const liars = SEEDS.map((seed) => drawPlan(seed, { isLiveness: true })).map(({ troubles, losses }) => [
      ...troubles.flatMap((one) => (one.kind === 'lie' ? [`${one.chainId}/${one.nodeIndex}`] : [])),
      ...losses.flatMap((one) =>
        one.kind === 'node' && one.lies !== null ? [`${one.chainId}/${one.nodeIndex}`] : [],
      ),
    ])
    const chainsOf = (nodes: readonly string[]) => new Set(nodes.map((node) => node.split('/')[0])).size
    expect(liars.filter((nodes) => new Set(nodes).size > chainsOf(nodes))).to.deep.equal([])
  })

  it('include one daemon and one node of each chain in every history that tests liveness', () => {
    for (const plan of SEEDS.map((seed) => drawPlan(seed, { isLiveness: true }))) {
      expect(findTooMany(plan)).to.deep.equal([])
      expect(plan.losses.length).to.equal(1 + plan.deployments.length)
    }
  })
})

/** Lists the losses that would stop the service: the last daemon, or a node that a quorum needs. */
function findTooMany({ daemons, deployments, losses }: Plan): readonly string[] {
  const lostDaemons = losses.filter(({ kind }) => kind === 'daemon').length
  const tooFew = deployments.filter(({ chainId, nodes, quorum }) => {
    const lost = losses.filter((loss) => loss.kind === 'node' && loss.chainId === chainId).length
    return nodes.length - lost < quorum
  })
  return [
    ...(lostDaemons < daemons ? [] : ['no daemon is left']),
    ...tooFew.map(({ chainId }) => `no quorum of ${chainId} is left`),
  ]
}
