/**
 * Runs all checks that a change must pass: `npm test`, `npm run check`, `npm run test:long`.
 *
 * `node --import tsx test/run.ts [--long] [step…]` runs the named steps, or all steps. Prints a line for each step when
 * the step ends, with its processor time on Linux; the whole output of each failed step, failures first; and finally a
 * line like `123 passed, 0 failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failuresFirst } from './runner/failures-first.ts'
import { runStep, type StepResult } from './runner/run-step.ts'
import { type Phase, type Step, steps } from './runner/steps.ts'

/**
 * Number of concurrent steps. Many tests wait for blocks: two cores were idle for a quarter of the time with two lanes,
 * and for a tenth with four lanes, so there are five.
 */
const LANES = 5

const isLong = process.argv.includes('--long')
const names = process.argv.slice(2).filter((argument) => argument !== '--long')
const answers = mkdtempSync(join(tmpdir(), 'answers-'))
process.once('exit', () => rmSync(answers, { recursive: true, force: true }))
const chosen = chooseSteps(steps({ isLong, answers }), names)

// Without this, a signal would end this process immediately, and the running steps, which have their own process
// groups, would continue.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

process.exitCode = report(await runAll(chosen))

function chooseSteps(all: readonly Step[], wanted: readonly string[]): readonly Step[] {
  const unknown = wanted.filter((name) => !all.some((step) => step.name === name))
  if (unknown.length > 0)
    throw new Error(`unknown step ${unknown.join(', ')}: must be one of ${all.map(nameOf).join(', ')}`)
  return wanted.length === 0 ? all : all.filter((step) => wanted.includes(step.name))
}

/** Runs the steps in lanes, one of which starts with the build. Then runs the steps of the phase `last`. */
async function runAll(chosenSteps: readonly Step[]): Promise<StepResult[]> {
  const results: StepResult[] = []
  const runLane = async (waiting: Step[]): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      if (step.usesBuild === true) await built
      results.push(await runAndPrint(step))
    }
  }
  const stepsOf = (phase: Phase) => chosenSteps.filter((step) => step.phase === phase)
  const beside = stepsOf('beside')
  const built = runLane(stepsOf('first'))
  const lanes = Array.from({ length: LANES - 1 }, () => runLane(beside))
  await Promise.all([built.then(() => runLane(beside)), ...lanes])
  await runLane(stepsOf('last'))
  return results
}

async function runAndPrint(step: Step): Promise<StepResult> {
  const result = await runStep(step)
  const tests = step.tests ? `  ${result.passed} passed, ${result.failed} failed` : ''
  const seconds = (result.durationMs / 1000).toFixed(1).padStart(6)
  const processor = formatProcessorTime([result])
  console.log(
    `${result.reason === null ? 'ok    ' : 'FAILED'} ${step.name.padEnd(12)} ${seconds} s${processor}${tests}`,
  )
  if (result.reason !== null)
    console.log(`\n${step.name}: ${result.reason}\n\n${failuresFirst(result.output)}\n`)
  else if (step.isShown === true) console.log(result.output)
  return result
}

/** Prints the sums and returns the exit code. A failed step without a failed test counts as one failure. */
function report(results: readonly StepResult[]): 0 | 1 {
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  const failed = results.reduce(
    (sum, { failed: tests, reason }) => sum + Math.max(tests, reason === null ? 0 : 1),
    0,
  )
  console.log(`all steps:${formatProcessorTime(results)}`)
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

/**
 * Formats the summed processor time, which depends less than the duration on other work of the machine. Returns an
 * empty text if the system does not report it.
 */
function formatProcessorTime(results: readonly StepResult[]): string {
  const seconds = results.reduce((sum, { processorSeconds }) => sum + (processorSeconds ?? 0), 0)
  return seconds === 0 ? '' : `  ${seconds.toFixed(0).padStart(4)} s CPU`
}

function nameOf(step: Step): string {
  return step.name
}
