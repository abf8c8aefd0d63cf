import { expect } from 'chai'
import { isKill, judge, summarize } from '../../mutation/run-proof.ts'

const STOPPED = 'stopped after 300 s'

describe('a test run of a mutant', () => {
  const CASES = [
    ['passes if all its tests pass', { passed: 2, failed: 0, reason: null }, 'passes'],
    ['fails if one of its tests fails', { passed: 1, failed: 1, reason: 'exit code 1' }, 'fails'],
    ['fails if a test fails before the time limit', { passed: 0, failed: 1, reason: STOPPED }, 'fails'],
    [
      'is stopped if no test fails before the time limit',
      { passed: 1, failed: 0, reason: STOPPED },
      'stopped',
    ],
    ['is broken if a test is missing', { passed: 1, failed: 0, reason: null }, 'broken'],
    [
      'is broken if it ends with an error after its tests passed',
      { passed: 2, failed: 0, reason: 'exit code 1' },
      'broken',
    ],
  ] as const
  for (const [title, result, verdict] of CASES) {
    it(title, () => {
      expect(judge(result, 2)).to.equal(verdict)
    })
  }

  it('kills the mutant if it fails or is stopped, and the summary counts both', () => {
    const verdicts = ['passes', 'fails', 'stopped', 'broken', 'fails'] as const
    expect(verdicts.filter(isKill)).to.deep.equal(['fails', 'stopped', 'fails'])
    expect(summarize(verdicts)).to.equal('3 killed (1 by the time limit), 2 survived')
  })
})
