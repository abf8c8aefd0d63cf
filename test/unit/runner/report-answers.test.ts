import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runStep, type StepResult } from '../../runner/run-step.ts'
import { steps } from '../../runner/steps.ts'
import type { RecordedAnswers } from '../../support/record-answers.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const ENDPOINT = 'GET /v1/charges/:id'
const DECLARED = { [ENDPOINT]: ['success', 'charge_not_found', 'internal_error'] }

describe('the step that reports which documented responses the tests received', function () {
  this.timeout(240_000)

  it('passes if the test processes together received every response but internal_error, and lists each with its test', async () => {
    const { reason, output } = await report(
      { declared: DECLARED, tests: { [ENDPOINT]: { success: 'reads a charge' } } },
      { declared: DECLARED, tests: { [ENDPOINT]: { charge_not_found: 'finds none' } } },
    )
    expect(reason, output).to.equal(null)
    expect(output).to.include('success  ← reads a charge').and.to.include('charge_not_found  ← finds none')
  })

  it('fails if an endpoint documents another response that no test received', async () => {
    const tests = { [ENDPOINT]: { success: 'reads a charge' } }
    const { reason, output } = await report({ declared: DECLARED, tests })
    expect(reason).to.equal('exit code 1')
    expect(output)
      .to.include(`MISSING ${ENDPOINT}  charge_not_found`)
      .and.not.to.include(`MISSING ${ENDPOINT}  success`)
  })

  it('fails if no response was recorded', async () => {
    expect((await report()).reason).to.equal('exit code 1')
  })
})

/** Runs the step on the recorded responses of any number of test processes. */
async function report(...recorded: readonly RecordedAnswers[]): Promise<StepResult> {
  const directory = await temporaryDirectory('answers')
  const step = steps({ isLong: false, answers: directory }).find(({ name }) => name === 'answers')
  if (step === undefined) throw new Error('the step “answers” does not exist')
  try {
    for (const [index, answers] of recorded.entries())
      await writeFile(join(directory, `${index}.json`), JSON.stringify(answers))
    return await runStep(step)
  } finally {
    await rm(directory, { recursive: true })
  }
}
