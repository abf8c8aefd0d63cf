import { makeScratchCopy, type ScratchCopy } from '../mutation/scratch-copy.ts'
import { PLANTED, type PlantedBug } from './planted-bugs.ts'
import { findReachingSeeds } from './reached/find-reaching-seeds.ts'
import { runSeeds } from './run-seeds.ts'

type Seeds = { readonly seeds: readonly number[]; readonly workers: number }

type Terms = Seeds & {
  /** Only bugs whose rule contains this text are planted. */
  readonly only: string
  /** The file of `findReachingSeeds`. */
  readonly file: string | null
}

/** A seed that failed, after this number of seeds, itself included. */
type Found = { readonly seed: number; readonly failure: string; readonly tried: number }

/**
 * Plants each bug in a copy of the code, and runs seeds until one fails. Seeds that do not reach the bug's place are
 * skipped, because a history without the changed code is the same with the bug. Prints a table in Markdown.
 *
 * @returns 1 if a bug makes no seed fail, or if a seed fails without a bug
 */
export async function plantBugs({ only, file, ...terms }: Terms): Promise<0 | 1> {
  const { broken, listReaching } = await findReachingSeeds(PLANTED, terms, file)
  for (const { seed, failure } of broken) console.log(`FAILED ${seed} without a bug: ${failure}`)
  const copy = makeScratchCopy()
  process.once('exit', copy.remove)
  const bugs = PLANTED.filter(({ rule }) => rule.includes(only))
  let survivors = 0
  console.log(
    `| Rule that is removed | Seeds that reach it, of ${terms.seeds.length} | Tried | Found by | Violation |`,
  )
  console.log('|---|---|---|---|---|')
  for (const bug of bugs) {
    const seeds = listReaching(bug)
    const found = await findFailingSeed(bug, { ...terms, seeds, copy })
    if (found === null) survivors += 1
    const [tried, by, violation] =
      found === null
        ? [seeds.length, '**none**', '']
        : [found.tried, found.seed, found.failure.split('\n')[0]]
    console.log(`| ${bug.rule} | ${seeds.length} | ${tried} | ${by} | ${violation} |`)
  }
  console.log(`${bugs.length - survivors} of ${bugs.length} bugs found`)
  return survivors === 0 && broken.length === 0 ? 0 : 1
}

async function findFailingSeed(
  bug: PlantedBug,
  { copy, seeds, workers }: Seeds & { readonly copy: ScratchCopy },
): Promise<Found | null> {
  let [found, tried]: [Found | null, number] = [null, 0]
  await copy.without(bug, () =>
    runSeeds({
      ...{ seeds, workers, order: {}, directory: copy.directory },
      onOutcome: ({ seed, failure }) => {
        tried += 1
        if (failure === null) return Promise.resolve('more')
        found ??= { seed, failure, tried }
        return Promise.resolve('enough')
      },
    }),
  )
  return found
}
