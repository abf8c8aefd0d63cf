import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { countTests } from './count-tests.ts'
import { readChildrensSeconds } from './processor-time.ts'
import type { Step } from './steps.ts'

const repository = resolve(import.meta.dirname, '../..')

/** Module behind Mocha's command. The command would start Node twice, because `.mocharc.json` has a `node-option`. */
const MOCHA = createRequire(import.meta.url).resolve('mocha/lib/cli/cli.js')

/** Result of a step. `reason` is `null` if it succeeded. */
export type StepResult = {
  readonly passed: number
  readonly failed: number
  readonly reason: string | null
  readonly output: string
  readonly durationMs: number
  /**
   * Processor time of the step and its children, in seconds, or `null` if the system does not report it. A child that
   * outlives its parent does not count.
   */
  readonly processorSeconds: number | null
}

/** Processor time of the steps that have ended. */
let countedSeconds = 0

/**
 * Runs a step to its end, or kills it and its children at its time limit.
 *
 * A test runner that executed no test has failed, regardless of its exit code.
 */
export async function runStep(step: Step): Promise<StepResult> {
  const startedAt = performance.now()
  const { exitCode, output, processorSeconds } = await runCommand(step)
  const { passed, failed } = step.tests === null ? { passed: 0, failed: 0 } : countTests(step.tests, output)
  const durationMs = performance.now() - startedAt
  const reason = judge(step, { exitCode, passed, failed })
  return { passed, failed, reason, output, durationMs, processorSeconds }
}

function judge(step: Step, end: { exitCode: number | null; passed: number; failed: number }): string | null {
  if (end.exitCode === null) return `stopped after ${step.timeoutMs / 1000} s`
  if (end.exitCode !== 0) return `exit code ${end.exitCode}`
  if (end.failed > 0) return `${end.failed} failed`
  if (step.tests !== null && end.passed === 0) return 'executed no test'
  return null
}

/** Returns the processor time of the children that have ended since the previous call. */
function takeProcessorSeconds(): number | null {
  const total = readChildrensSeconds()
  if (total === null) return null
  const seconds = total - countedSeconds
  countedSeconds = total
  return seconds
}

/** Returns the exit code, or `null` after a timeout, the interleaved stdout and stderr, and the processor time. */
function runCommand(
  step: Step,
): Promise<Pick<StepResult, 'output' | 'processorSeconds'> & { exitCode: number | null }> {
  const directory = step.directory ?? repository
  const isMocha = step.command === 'mocha'
  const command = isMocha ? process.execPath : step.command
  const args = isMocha ? ['--import=tsx', MOCHA, ...step.args] : step.args
  return new Promise((done, fail) => {
    // The child gets its own process group, so that a timeout also kills its children.
    const child = spawn(command, args, {
      cwd: directory,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${directory}/node_modules/.bin:${process.env['PATH']}`,
        ...step.environment,
      },
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    let isLate = false
    const killGroup = () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }
    const limit = setTimeout(() => {
      isLate = true
      killGroup()
    }, step.timeoutMs)
    process.once('exit', killGroup)
    let processorSeconds: number | null = null
    child.once('exit', () => {
      processorSeconds = takeProcessorSeconds()
    })
    child.once('error', fail)
    child.once('close', (code, signal) => {
      clearTimeout(limit)
      process.off('exit', killGroup)
      const exitCode = isLate ? null : (code ?? (signal === null ? 1 : 128))
      done({ exitCode, output: stripVTControlCharacters(Buffer.concat(chunks).toString()), processorSeconds })
    })
  })
}
