import { makeScratchCopy } from '../mutation/scratch-copy.ts'
import { runStep } from '../runner/run-step.ts'
import { PLANTED } from './planted-bugs.ts'

const TIMEOUT_MS = 3_600_000

type Terms = {
  /** Only bugs whose rule contains this text are planted. */
  readonly only: string
  /** Maximum number of seeds per bug. */
  readonly seeds: number
  /** Number of concurrent seeds. */
  readonly workers: number
}

/** Plants each bug in a copy of the code, and runs seeds until one fails. Returns 1 if a bug makes no seed fail. */
export async function findKillingSeeds({ only, seeds, workers }: Terms): Promise<0 | 1> {
  const copy = makeScratchCopy()
  process.once('exit', copy.remove)
  const survivors: string[] = []
  for (const bug of PLANTED.filter(({ rule }) => rule.includes(only))) {
    const { output, reason } = await copy.without(bug, () =>
      runStep({
        ...{
          name: 'simulate',
          phase: 'beside',
          timeoutMs: TIMEOUT_MS,
          directory: copy.directory,
          tests: null,
        },
        ...{ command: 'node', environment: {} },
        args: [
          ...['--import', 'tsx', 'test/simulation/main.ts', '--first-failure', '--unmarked'],
          ...['--seeds', String(seeds), '--workers', String(workers)],
        ],
      }),
    )
    const found = /FAILED (\d+)[^\n]*\n([^\n]*)/.exec(output)
    if (found === null) survivors.push(bug.rule)
    console.log(
      `${found === null ? `SURVIVED (${reason ?? 'no seed failed'})` : `seed ${found[1]}`}  ${bug.rule}`,
    )
    if (found !== null) console.log(`  ${found[2]?.trim()}`)
  }
  return survivors.length === 0 ? 0 : 1
}
