import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import {
  createNodeHealth,
  findQuorumHeight,
  findStalled,
} from '../../../../shared/chain/nodes/node-health.ts'
import {
  queryNodes,
  queryOperators,
  queryQuorum,
  queryResponsive,
} from '../../../../shared/chain/nodes/query-nodes.ts'

type Fake = { readonly name: string; readonly operator: string; readonly api?: string }

function group(nodes: readonly Fake[], quorum = 2) {
  return { nodes, quorum, getTrusted: () => null, health: createNodeHealth() }
}

/** Creates a reader that returns the value under the node’s name, and fails for a node without a value. */
function readFrom(values: Readonly<Record<string, string>>, asked: string[] = []) {
  return async ({ name, api }: Fake) => {
    asked.push(api === undefined ? name : `${name}/${api}`)
    const value = values[name]
    if (value === undefined) throw new Error(`${name} is down`)
    return value
  }
}

const A = { name: 'a1', operator: 'a' }
const A2 = { name: 'a2', operator: 'a' }
const B = { name: 'b1', operator: 'b' }
const C = { name: 'c1', operator: 'c' }
const toText = (value: string) => value

describe('queryQuorum', () => {
  it('queries only as many nodes as the quorum needs while these nodes agree', async () => {
    const asked: string[] = []
    await queryQuorum(group([A, B, C]), { read: readFrom({ a1: '1', b1: '1', c1: '1' }, asked), toText })
    expect(asked).to.deep.equal(['a1', 'b1'])
  })

  it('skips a second node of the same operator', async () => {
    const asked: string[] = []
    await queryQuorum(group([A, A2, B]), { read: readFrom({ a1: '1', a2: '1', b1: '1' }, asked), toText })
    expect(asked).to.deep.equal(['a1', 'b1'])
  })

  it('queries the other nodes if one of the first nodes is down', async () => {
    const verdict = await queryQuorum(group([A, B, C]), { read: readFrom({ b1: '1', c1: '1' }), toText })
    expect(verdict.outcome).to.equal('agreed')
  })

  it('queries the other nodes if the first nodes contradict each other', async () => {
    const read = readFrom({ a1: '2', b1: '1', c1: '1' })
    expect(await queryQuorum(group([A, B, C]), { read, toText })).to.have.nested.property('agreed.value', '1')
  })

  it('prefers other nodes to a failed node in the next query', async () => {
    const all = group([A, B, C])
    await queryQuorum(all, { read: readFrom({ b1: '1', c1: '1' }), toText })
    const asked: string[] = []
    await queryQuorum(all, { read: readFrom({ a1: '1', b1: '1', c1: '1' }, asked), toText })
    expect(asked).to.deep.equal(['b1', 'c1'])
  })

  it('does not wait for a hanging node once the others agree', async () => {
    const read = (node: Fake) => (node === A ? new Promise<string>(() => undefined) : Promise.resolve('1'))
    expect((await queryQuorum(group([A, B, C]), { read, toText })).outcome).to.equal('agreed')
  })

  it('queries one API of each of two nodes if both APIs must vote', async () => {
    const nodes = [
      { ...A, api: 'x' },
      { ...B, api: 'y' },
      { ...A, api: 'y' },
      { ...B, api: 'x' },
    ]
    const asked: string[] = []
    const question = { read: readFrom({ a1: '1', b1: '1' }, asked), toText, apis: ['x', 'y'] }
    expect((await queryQuorum(group(nodes), question)).outcome).to.equal('agreed')
    expect(asked).to.deep.equal(['a1/x', 'b1/y'])
  })
})

describe('queryOperators', () => {
  it('returns the reports of a quorum of operators, even if they contradict each other', async () => {
    const found = await queryOperators(group([A, B, C]), readFrom({ a1: '1', b1: '2', c1: '3' }))
    expect(found?.reports.map(({ value }) => value)).to.deep.equal(['1', '2'])
  })

  it('returns null while fewer operators than the quorum respond', async () => {
    expect(await queryOperators(group([A, A2, B]), readFrom({ a1: '1', a2: '1' }))).to.equal(null)
  })
})

describe('queryNodes', () => {
  it('queries every node and lists the silent nodes', async () => {
    const { reports, silent } = await queryNodes(group([A, B]), readFrom({ b1: '1' }))
    expect(reports.map(({ node }) => node)).to.deep.equal(['b1'])
    expect(silent.map(({ node }) => node)).to.deep.equal(['a1'])
  })
})

describe('queryResponsive', () => {
  const hangs = new Promise<string>(() => undefined)

  it('does not wait for a recently failed node once a quorum has responded', async () => {
    const all = group([A, B, C])
    all.health.noteFailure(A.name)
    const query = queryResponsive(all, (node) => (node === A ? hangs : Promise.resolve('1')))
    // Waiting for the node would take a second. All other steps are promises.
    const ended = await Promise.race([query, nextTurn(null)])
    expect(ended?.reports.map(({ node }) => node)).to.deep.equal(['b1', 'c1'])
  })

  it('waits a second for a hanging node that has not failed before', async () => {
    const startedAtMs = performance.now()
    await queryResponsive(group([A, B, C]), (node) => (node === A ? hangs : Promise.resolve('1')))
    expect(performance.now() - startedAtMs, 'ms').to.be.at.least(900)
  })

  it('waits for a slower node that has not failed', async () => {
    const slow = () => new Promise<string>((resolve) => setTimeout(() => resolve('2'), 20))
    const { reports } = await queryResponsive(group([A, B, C]), (node) =>
      node === C ? slow() : Promise.resolve('1'),
    )
    expect(reports.map(({ value }) => value)).to.deep.equal(['1', '1', '2'])
  })

  it('waits for a recently failed node if there is no quorum without it', async () => {
    const all = group([A, B])
    all.health.noteFailure(A.name)
    const { reports } = await queryResponsive(all, () => Promise.resolve('1'))
    expect(reports).to.have.length(2)
  })
})

describe('findQuorumHeight', () => {
  const heads = (...list: readonly (readonly [string, number])[]) =>
    list.map(([operator, number]) => ({ node: operator, operator, number }))

  it('returns the highest block that a quorum has reached, even if one node reports a higher block', () => {
    expect(findQuorumHeight(heads(['a', 9_999], ['b', 10], ['c', 12]), 2)).to.equal(12)
  })

  it('returns null while fewer operators than the quorum respond', () => {
    expect(findQuorumHeight(heads(['a', 10], ['a', 11]), 2)).to.equal(null)
  })
})

describe('findStalled', () => {
  const rule = { quorum: 2, blockTimeMs: 2_000 }
  const head = (operator: string, number: number, seconds: number) => ({
    ...{ node: operator, operator, number },
    timestampMs: seconds * 1000,
  })

  it('names a node that is more than a minute behind the head of a quorum', () => {
    expect(
      findStalled([head('a', 10, 1_000), head('b', 45, 1_070), head('c', 45, 1_070)], rule),
    ).to.deep.equal(['a'])
  })

  it('does not name a node that is behind by a minute or less', () => {
    const heads = [head('a', 15, 1_010), head('b', 45, 1_070), head('c', 45, 1_070)]
    expect(findStalled(heads, rule)).to.deep.equal([])
  })

  it('does not name a node that is behind by 20 block times or less on a chain with long block times', () => {
    const heads = [head('a', 15, 1_000), head('b', 35, 1_240), head('c', 35, 1_240)]
    expect(findStalled(heads, { ...rule, blockTimeMs: 12_000 })).to.deep.equal([])
  })

  it('names neither of two honest nodes if a third node invents a head in the future', () => {
    expect(
      findStalled([head('a', 10, 1_000), head('b', 10, 1_000), head('c', 99, 9_999)], rule),
    ).to.deep.equal([])
  })
})
