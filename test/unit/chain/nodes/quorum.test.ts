import { expect } from 'chai'
import fc from 'fast-check'
import type { Responses } from '../../../../shared/chain/nodes/node-report.ts'
import { findVerdict, type QuorumRule, requireAgreed } from '../../../../shared/chain/nodes/quorum.ts'

const TWO: QuorumRule = { quorum: 2, apis: [], trusted: null }

/**
 * Parses responses in the form `operator:value` or `operator/api:value`. The value `-` stands for silence.
 */
function responses(...texts: readonly string[]): Responses<string> {
  const all = texts.map((text, at) => {
    const [who = '', value = ''] = text.split(':')
    const [operator = '', api = null] = who.split('/')
    return { node: `${operator}-${at}`, operator, api, value }
  })
  return {
    reports: all.filter(({ value }) => value !== '-'),
    silent: all.filter(({ value }) => value === '-').map((one) => ({ ...one, error: new Error('timeout') })),
  }
}

function decide(rule: QuorumRule, ...texts: readonly string[]) {
  const verdict = findVerdict(responses(...texts), rule, (value) => value)
  return verdict.outcome === 'agreed' ? verdict.agreed.value : verdict.outcome
}

describe('findVerdict', () => {
  const cases: readonly [string, QuorumRule, readonly string[], string][] = [
    ['agrees if two operators report the same value', TWO, ['a:10', 'b:10'], '10'],
    ['waits for a second operator', TWO, ['a:10', 'b:-'], 'waiting'],
    ['counts two nodes of one operator once', TWO, ['a:10', 'a:10'], 'waiting'],
    ['is undecided while two operators contradict each other', TWO, ['a:10', 'b:11'], 'disagreed'],
    ['lets two of three operators outvote the first', TWO, ['a:25', 'b:10', 'c:10'], '10'],
    ['lets two of three operators outvote the last', TWO, ['a:10', 'b:10', 'c:25'], '10'],
    [
      'is undecided while two operators contradict each other and a third operator is silent',
      TWO,
      ['a:10', 'b:11', 'c:-'],
      'disagreed',
    ],
    [
      'is undecided if two pairs of operators contradict each other',
      TWO,
      ['a:1', 'b:1', 'c:2', 'd:2'],
      'disagreed',
    ],
    ['accepts a single operator only with a quorum of 1', { ...TWO, quorum: 1 }, ['a:10'], '10'],
    [
      'is undecided if two nodes contradict each other with a quorum of 1',
      { ...TWO, quorum: 1 },
      ['a:1', 'b:2'],
      'disagreed',
    ],
    ['waits for a vote of each API', { ...TWO, apis: ['x', 'y'] }, ['a/x:1', 'b/x:1'], 'waiting'],
    ['agrees with one vote of each API', { ...TWO, apis: ['x', 'y'] }, ['a/x:1', 'b/y:1'], '1'],
    ['counts two APIs of one operator once', { ...TWO, apis: ['x', 'y'] }, ['a/x:1', 'a/y:1'], 'waiting'],
    ['lets a trusted node decide alone', { ...TWO, trusted: 'a-0' }, ['a:10', 'b:-'], '10'],
    [
      'does not let a trusted node outvote a quorum',
      { ...TWO, trusted: 'a-0' },
      ['a:10', 'b:11', 'c:11'],
      'disagreed',
    ],
  ]
  for (const [title, rule, texts, expected] of cases)
    it(title, () => expect(decide(rule, ...texts)).to.equal(expected))

  it('marks a decision by a trusted node', () => {
    const verdict = findVerdict(responses('a:10', 'b:-'), { ...TWO, trusted: 'a-0' }, (value) => value)
    expect(requireAgreed(verdict, 'a receipt').by).to.deep.equal(['trusted:a-0'])
  })

  it('reports the nodes that contradict a quorum', () => {
    const verdict = findVerdict(responses('a:25', 'b:10', 'c:10'), TWO, (value) => value)
    expect(verdict).to.have.nested.property('denied[0].node', 'a-0')
  })

  it('never agrees on a value that fewer operators than the quorum report', () => {
    const vote = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '-'))
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 6 }), fc.integer({ min: 1, max: 3 }), (votes, quorum) => {
        const texts = votes.map(([operator, value]) => `${operator}:${value}`)
        const verdict = findVerdict(responses(...texts), { ...TWO, quorum }, (value) => value)
        if (verdict.outcome !== 'agreed') return
        const said = votes.filter(([, value]) => value === verdict.agreed.value)
        expect(new Set(said.map(([operator]) => operator)).size).to.be.at.least(quorum)
      }),
    )
  })
})

describe('requireAgreed', () => {
  it('names the silent nodes only in the cause, because API responses contain the message', () => {
    const error = failureOf('a:10', 'b:-')
    expect(error.message).to.equal('too few nodes responded for block 7')
    expect(error.cause).to.have.property('message', 'silent nodes: b-1')
  })

  it('names contradicting nodes only in the cause', () => {
    const error = failureOf('a:10', 'b:11')
    expect(error.message).to.equal('nodes contradict each other on block 7')
    expect(error.cause).to.have.property('message', 'contradicting reports of a-0, b-1')
  })

  function failureOf(...texts: readonly string[]): Error {
    try {
      requireAgreed(
        findVerdict(responses(...texts), TWO, (value) => value),
        'block 7',
      )
    } catch (error) {
      return error as Error
    }
    throw new Error('the verdict must not be agreed')
  }
})
