import { runStep, type StepResult } from '../runner/run-step.ts'
import type { Proof } from './mutant.ts'

/**
 * `stopped`: no test failed before the time limit. The cause is the mutant, or a machine that is too slow.
 * `broken`: the tests did not run to their end, or fewer tests ran than there are titles. The result is unknown.
 */
export type Verdict = 'passes' | 'fails' | 'stopped' | 'broken'

/**
 * Time limit for a whole run, because a mutant might loop endlessly. Each test also has its own limit.
 */
const TIMEOUT_MS = 300_000

/** Runs the tests of a file that match the titles, in a copy of the tree. */
export async function runProofs(
  directory: string,
  { file, titles }: { readonly file: string; readonly titles: readonly string[] },
): Promise<{ readonly verdict: Verdict; readonly result: StepResult }> {
  const isForge = file.endsWith('.t.sol')
  const result = await runStep({
    ...{ name: file, phase: 'beside', timeoutMs: TIMEOUT_MS, directory },
    ...(isForge ? forge(file, titles) : mocha(file, titles)),
  })
  return { verdict: judge(result, titles.length), result }
}

/** Whether the tests detected the mutant: a test failed, or the tests did not end within the time limit. */
export function isKill(verdict: Verdict): boolean {
  return verdict === 'fails' || verdict === 'stopped'
}

/** Returns the last line of the output. All mutants that were not killed count as survived, even `broken` ones. */
export function summarize(verdicts: readonly Verdict[]): string {
  const killed = verdicts.filter(isKill).length
  const stopped = verdicts.filter((verdict) => verdict === 'stopped').length
  return `${killed} killed (${stopped} by the time limit), ${verdicts.length - killed} survived`
}

/** Groups proofs by file, so that one run covers all tests of a file. */
export function byFile(
  proofs: readonly Proof[],
): readonly { readonly file: string; readonly titles: readonly string[] }[] {
  const files = [...new Set(proofs.map(({ file }) => file))]
  return files.map((file) => ({
    file,
    titles: [...new Set(proofs.filter((proof) => proof.file === file).map(({ title }) => title))],
  }))
}

function mocha(file: string, titles: readonly string[]) {
  const args = [file, '--bail', '--grep', titles.map(escape).join('|')]
  return { command: 'mocha', args, tests: 'mocha', environment: {} } as const
}

function forge(file: string, titles: readonly string[]) {
  const args = ['--import', 'tsx', 'contracts/script/test-some.ts', file, titles.join('|')]
  return { command: 'node', args, tests: 'forge', environment: { FOUNDRY_PROFILE: 'default' } } as const
}

/** Returns the verdict of a run in which `expected` tests must pass. */
export function judge(
  { passed, failed, reason }: Pick<StepResult, 'passed' | 'failed' | 'reason'>,
  expected: number,
): Verdict {
  if (failed > 0) return 'fails'
  if (reason?.startsWith('stopped') === true) return 'stopped'
  return reason === null && passed >= expected ? 'passes' : 'broken'
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
