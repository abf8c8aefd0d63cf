import { runInThisContext } from 'node:vm'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { runOn } from '../engine/owned-process.ts'
import { instrumentFile } from './instrument-file.ts'
import { installProbe, takeCounts } from './probe.ts'

const CODE = `export function rate(votes: readonly number[], quorum: number): string {
  const counted = votes.filter((vote) => vote > 0)
  if (counted.length >= quorum && votes.length < 9) return 'agreed'
  if (votes.length === 0) {
    return 'none'
  }
  return 'open'
}
`

const MACHINE = {
  nowMs: () => 0,
  later: () => () => undefined,
  fraction: () => 0,
  fetch: () => Promise.reject(new Error('no network')),
}

type Edit = { readonly take: string; readonly put: string }

/** Returns the instrumented code, how often the edit's place was evaluated, and how often the edit mattered. */
function count({ take, put }: Edit, calls: readonly (readonly [readonly number[], number])[]) {
  const mutant = { rule: 'a quorum decides', at: 'code.ts#rate', take, put }
  const { code } = instrumentFile('code.ts', { text: CODE, mutants: [{ index: 0, mutant }] })
  installProbe(1)
  const rate = load(code)
  runOn(MACHINE, () => {
    for (const call of calls) rate(...call)
  })
  return { code, counts: takeCounts()[0] }
}

type Rate = (votes: readonly number[], quorum: number) => string

function load(code: string): Rate {
  const { code: compiled } = transformSync(code.replace('export function', 'return function'), {
    loader: 'ts',
  })
  return runInThisContext(`(() => { ${compiled} })()`) as Rate
}

describe('the marker of a rule', () => {
  it('counts one evaluation, and no difference if the value stays the same', () => {
    const filter = { take: '.filter((vote) => vote > 0)', put: '' }
    expect(count(filter, [[[1, 2], 2]]).counts).to.deep.equal([1, 0])
  })

  it('counts a difference if the code without the rule has another value', () => {
    const filter = { take: '.filter((vote) => vote > 0)', put: '' }
    expect(
      count(filter, [
        [[1, 2], 2],
        [[1, 0], 2],
      ]).counts,
    ).to.deep.equal([2, 1])
  })

  it('counts a decision if the operand that the edit removes determines the result alone', () => {
    const operand = { take: '&& votes.length < 9', put: '' }
    const many = Array.from({ length: 9 }, () => 1)
    expect(
      count(operand, [
        [[1], 2],
        [[1, 1], 2],
        [many, 2],
      ]).counts,
    ).to.deep.equal([2, 1])
  })

  it('counts a decision if the edit removes an if statement whose condition is true', () => {
    const guard = { take: "if (votes.length === 0) {\n    return 'none'\n  }", put: '' }
    expect(
      count(guard, [
        [[], 2],
        [[1], 2],
      ]).counts,
    ).to.deep.equal([2, 1])
  })

  it('keeps the number of lines', () => {
    const { code } = count({ take: "return 'open'", put: "return 'agreed'" }, [])
    expect(code.split('\n')).to.have.length(CODE.split('\n').length)
  })

  it('counts nothing outside of simulated processes', () => {
    const mutant = { rule: 'r', at: 'code.ts#rate', take: "'open'", put: "'agreed'" }
    const { code } = instrumentFile('code.ts', { text: CODE, mutants: [{ index: 0, mutant }] })
    installProbe(1)
    const rate = load(code)
    expect(rate([1], 2)).to.equal('open')
    expect(takeCounts()).to.deep.equal([[0, 0]])
  })

  it('cannot be placed if the code of the rule no longer exists', () => {
    expect(() => count({ take: 'votes.length > 9', put: 'true' }, [])).to.throw('occurs 0 times')
  })
})
