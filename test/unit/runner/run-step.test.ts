import { expect } from 'chai'

import { countTests } from '../../runner/count-tests.ts'
import { failuresFirst } from '../../runner/failures-first.ts'
import { runStep } from '../../runner/run-step.ts'
import type { Step } from '../../runner/steps.ts'

describe('countTests', () => {
  it("parses mocha's summary", () => {
    const output = '  a\n    ✔ b\n\n  12 passing (3s)\n  2 failing\n\n  1) a: 99 passing lines'
    expect(countTests('mocha', output)).to.deep.equal({ passed: 12, failed: 2 })
  })

  it("parses forge's summary over all suites", () => {
    const output = [
      'Suite result: ok. 3 passed; 0 failed; 0 skipped; finished in 4.05s',
      'Ran 2 test suites in 4.06s (8.11s CPU time): 7 tests passed, 1 failed, 0 skipped (8 total tests)',
    ].join('\n')
    expect(countTests('forge', output)).to.deep.equal({ passed: 7, failed: 1 })
  })

  it('returns zero for an output without a summary', () => {
    expect(countTests('forge', 'No tests to run')).to.deep.equal({ passed: 0, failed: 0 })
  })
})

describe('failuresFirst', () => {
  it('puts the failures before the rest of the output', () => {
    const passed = '  a\n    ✔ prints\n  1 failing\n\n  12 passing (3s)\n'
    const failures = '  2 failing\n\n  1) a\n       b:\n     Error: no\n'
    expect(failuresFirst(passed + failures)).to.equal(`${failures}\n\nEarlier output:\n\n${passed}`)
    expect(failuresFirst(`Ran 1 test\nFailing tests:\nc`)).to.match(/^Failing tests:\nc/)
  })

  it('does not change an output without failures', () => {
    expect(failuresFirst('error TS2322: no\n')).to.equal('error TS2322: no\n')
  })
})

describe('a step of the test run', () => {
  it('passes and returns the counts of its runner', async () => {
    const result = await runStep(buildStep({ script: "echo '  3 passing (1s)'" }))
    expect(result).to.include({ passed: 3, failed: 0, reason: null })
  })

  it('fails if its runner executed no test, even with exit code 0', async () => {
    const result = await runStep(buildStep({ script: "echo '  0 passing (1s)'" }))
    expect(result.reason).to.equal('executed no test')
  })

  it('fails if its command exits with a code other than 0, and keeps stdout and stderr', async () => {
    const result = await runStep(buildStep({ script: "echo '  3 passing (1s)'; echo oops >&2; exit 7" }))
    expect(result.reason).to.equal('exit code 7')
    expect(result.output).to.include('3 passing').and.to.include('oops')
  })

  it('fails if a test failed, even with exit code 0', async () => {
    const result = await runStep(buildStep({ script: "echo '  3 passing (1s)'; echo '  1 failing'" }))
    expect(result.reason).to.equal('1 failed')
  })

  it('is stopped with its children at its time limit', async () => {
    // The background sleep keeps the output open, so the step ends immediately only if the whole group is killed.
    const result = await runStep(buildStep({ script: 'sleep 60 & sleep 60', timeoutMs: 100 }))
    expect(result.reason).to.equal('stopped after 0.1 s')
  })
})

function buildStep({ script, timeoutMs = 60_000 }: { script: string; timeoutMs?: number }): Step {
  const args = ['-c', script]
  return { name: 'planted', command: 'sh', args, tests: 'mocha', phase: 'beside', timeoutMs, environment: {} }
}
