import { runStep, type StepResult } from '../runner/run-step.ts'
import type { Proof } from './mutant.ts'

/** `broken`: the tests did not run to their end, or fewer tests ran than there are titles. The result is unknown. */
export type Verdict = 'passes' | 'fails' | 'broken'

/**
 * Time limit for all tests of a run together, because a mutant might loop endlessly. Each test also has its own limit.
 */
const TIMEOUT_MS = 300_000

/** Runs these tests of one file in a copy of the tree. Returns whether all of them pass, and the result of the run. */
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

/** A timeout counts as a failure, because our time limit detected the mutant. */
function judge({ passed, failed, reason }: StepResult, expected: number): Verdict {
  if (failed > 0 || reason?.startsWith('stopped') === true) return 'fails'
  return reason === null && passed >= expected ? 'passes' : 'broken'
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
