import { makeScratchCopy, type ScratchCopy } from '../mutation/scratch-copy.ts'
import { PLANTED, type PlantedBug } from './planted-bugs.ts'
import { storeInstrumentation } from './reached/count-reached.ts'
import { instrumentProduct, isLoaded } from './reached/instrument.ts'
import type { Marker } from './reached/marker.ts'
import type { Counts } from './reached/probe.ts'
import { runSeeds } from './run-seeds.ts'

type Seeds = { readonly seeds: readonly number[]; readonly workers: number }
type Found = { readonly seed: number; readonly failure: string }

const TELL_EVERY = 50

/**
 * Plants each bug in a copy of the code, and runs seeds until one fails. Seeds that do not reach the bug's place are
 * skipped, because a history without the changed code is the same with the bug.
 *
 * @returns 1 if a bug makes no seed fail, or if a seed fails without a bug
 */
export async function plantBugs({ only, ...terms }: Seeds & { readonly only: string }): Promise<0 | 1> {
  const bugs = PLANTED.filter(({ rule }) => rule.includes(only))
  const { reaching, broken } = await findReachingSeeds(bugs, terms)
  for (const { seed, failure } of broken) console.log(`FAILED ${seed} without a bug: ${failure}`)
  const copy = makeScratchCopy()
  process.once('exit', copy.remove)
  let survivors = 0
  console.log(
    `| Rule that is removed | Seeds that reach it, of ${terms.seeds.length} | Found by | Violation |`,
  )
  console.log('|---|---|---|---|')
  for (const bug of bugs) {
    const seeds = reaching.get(bug) ?? []
    const found = await findFailingSeed(bug, { ...terms, seeds, copy })
    if (found === null) survivors += 1
    const by = found === null ? '**none**' : `seed ${found.seed}, the ${ordinal(seeds, found.seed)}`
    console.log(`| ${bug.rule} | ${seeds.length} | ${by} | ${found?.failure.split('\n')[0] ?? ''} |`)
  }
  console.log(`${bugs.length - survivors} of ${bugs.length} bugs found`)
  return survivors === 0 && broken.length === 0 ? 0 : 1
}

/** Runs all seeds without a bug. Returns for each bug the seeds whose history it can change. */
async function findReachingSeeds(bugs: readonly PlantedBug[], { seeds, workers }: Seeds) {
  const instrumentation = instrumentProduct(bugs)
  const reaching = new Map(bugs.map((bug) => [bug, isLoaded(bug) ? new Set<number>() : new Set(seeds)]))
  const broken: Found[] = []
  const onCounts = ({ seed, counts }: { readonly seed: number; readonly counts: Counts }) => {
    for (const [index, marker] of instrumentation.markers.entries()) {
      const bug = bugs.find(({ rule }) => rule === marker.name)
      if (bug !== undefined && canDiffer(marker, counts[index])) reaching.get(bug)?.add(seed)
    }
  }
  let ended = 0
  await runSeeds({
    ...{ seeds, workers, order: {}, markers: { file: storeInstrumentation(instrumentation), onCounts } },
    onOutcome: ({ seed, failure }) => {
      ended += 1
      if (failure !== null) broken.push({ seed, failure })
      if (ended % TELL_EVERY === 0) console.log(`${ended} of ${seeds.length} seeds ran without a bug`)
      return Promise.resolve('more')
    },
  })
  const isBroken = new Set(broken.map(({ seed }) => seed))
  return {
    broken,
    reaching: new Map(
      [...reaching].map(([bug, reached]) => [
        bug,
        seeds.filter((seed) => reached.has(seed) && !isBroken.has(seed)),
      ]),
    ),
  }
}

/** Whether a history can differ with the bug. Only for `differences` is the bug's value known. */
function canDiffer({ counts }: Marker, [times, marked]: readonly [number, number] = [0, 0]): boolean {
  if (counts === 'nothing') return true
  return (counts === 'differences' ? marked : times) > 0
}

/** Returns the lowest seed that failed when the first failure was seen; `null` if none fails. */
async function findFailingSeed(
  bug: PlantedBug,
  { copy, seeds, workers }: Seeds & { readonly copy: ScratchCopy },
): Promise<Found | null> {
  const found: Found[] = []
  await copy.without(bug, () =>
    runSeeds({
      ...{ seeds, workers, order: {}, directory: copy.directory },
      onOutcome: ({ seed, failure }) => {
        if (failure !== null) found.push({ seed, failure })
        return Promise.resolve(failure === null ? 'more' : 'enough')
      },
    }),
  )
  return found.toSorted((a, b) => a.seed - b.seed)[0] ?? null
}

/** Returns the seed's place among the seeds, such as `3rd`. */
function ordinal(seeds: readonly number[], seed: number): string {
  const place = seeds.indexOf(seed) + 1
  const suffix = { one: 'st', two: 'nd', few: 'rd' }[RULES.select(place) as 'one'] ?? 'th'
  return `${place}${suffix}`
}

const RULES = new Intl.PluralRules('en', { type: 'ordinal' })
