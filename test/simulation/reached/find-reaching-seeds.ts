import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { PlantedBug } from '../planted-bugs.ts'
import { runSeeds } from '../run-seeds.ts'
import { storeInstrumentation } from './count-reached.ts'
import { type Instrumentation, instrumentProduct, isLoaded } from './instrument.ts'
import type { Marker } from './marker.ts'
import type { Counts } from './probe.ts'

type Seeds = { readonly seeds: readonly number[]; readonly workers: number }

/** Histories without a bug. */
type Unchanged = {
  /** Hash of the instrumented code, because the histories of different code differ. */
  readonly version: string
  readonly seeds: readonly number[]
  readonly broken: { readonly seed: number; readonly failure: string }[]
  /** How often each seed reached the place of each bug, by its rule and the seed. Zeros are omitted. */
  readonly hits: Record<string, Record<number, number>>
}

const TELL_EVERY = 50

/**
 * Finds the seeds whose history a bug can change, by running all seeds without any bug.
 *
 * @param file - a file that keeps the result, so that a later run with the same code and seeds needs no histories;
 *   `null` for none
 * @returns the seeds that failed without a bug, and for each bug the other seeds that reach its place, those that reach
 *   it most often first
 */
export async function findReachingSeeds(bugs: readonly PlantedBug[], terms: Seeds, file: string | null) {
  const instrumentation = instrumentProduct(bugs)
  const version = createHash('sha256').update(JSON.stringify(instrumentation.sources)).digest('hex')
  const kept =
    file !== null && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Unchanged) : null
  const isSame = kept?.version === version && String(kept.seeds) === String(terms.seeds)
  const unchanged = isSame ? kept : await runUnchanged(instrumentation, { ...terms, version })
  if (file !== null) writeFileSync(file, JSON.stringify(unchanged))
  const isBroken = new Set(unchanged.broken.map(({ seed }) => seed))
  const sound = terms.seeds.filter((seed) => !isBroken.has(seed))
  return {
    broken: unchanged.broken,
    listReaching: (bug: PlantedBug): readonly number[] => {
      if (!isLoaded(bug)) return sound
      const hits = unchanged.hits[bug.rule] ?? {}
      const hitsOf = (seed: number) => hits[seed] ?? 0
      return sound.filter((seed) => hitsOf(seed) > 0).toSorted((a, b) => hitsOf(b) - hitsOf(a))
    },
  }
}

async function runUnchanged(
  instrumentation: Instrumentation,
  { version, seeds, workers }: Seeds & { readonly version: string },
): Promise<Unchanged> {
  const unchanged: Unchanged = { version, seeds, broken: [], hits: {} }
  const onCounts = ({ seed, counts }: { readonly seed: number; readonly counts: Counts }) => {
    for (const [index, marker] of instrumentation.markers.entries()) {
      const hits = countHits(marker, counts[index])
      if (hits > 0) unchanged.hits[marker.name] = { ...unchanged.hits[marker.name], [seed]: hits }
    }
  }
  let ended = 0
  await runSeeds({
    ...{ seeds, workers, order: {}, markers: { file: storeInstrumentation(instrumentation), onCounts } },
    onOutcome: ({ seed, failure }) => {
      ended += 1
      if (failure !== null) unchanged.broken.push({ seed, failure })
      if (ended % TELL_EVERY === 0) console.log(`${ended} of ${seeds.length} seeds ran without a bug`)
      return Promise.resolve('more')
    },
  })
  return unchanged
}

/** Returns how often a bug could have changed the history. Its value is known only for `differences`. */
function countHits({ counts }: Marker, [times, marked]: readonly [number, number] = [0, 0]): number {
  if (counts === 'nothing') return 1
  return counts === 'differences' ? marked : times
}
