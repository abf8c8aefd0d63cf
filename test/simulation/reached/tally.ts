import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Instrumentation } from './instrument.ts'
import type { Count, Marker } from './marker.ts'
import type { Counts } from './probe.ts'

/** How often each marker was reached in all histories of a run. */
export type Tally = {
  /** Hash of the instrumented code, because counts of different code cannot be added. */
  readonly version: string
  readonly seeds: number[]
  readonly markers: (Marker & Count)[]
}

/**
 * Creates the tally of a run. If the file exists, the run continues its tally.
 *
 * @throws {Error} if the file's counts belong to a different version of the code
 */
export function openTally({ markers, sources }: Instrumentation, file: string | null): Tally {
  const version = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16)
  const empty = { version, seeds: [], markers: markers.map((each) => ({ ...each, ...NEVER })) }
  if (file === null || !existsSync(file)) return empty
  const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally
  if (tally.version !== version)
    throw new Error(
      `${file} holds the counts of a different version of the code; delete it or use another file`,
    )
  return tally
}

const NEVER: Count = { times: 0, marked: 0, histories: 0 }

export function addCounts(
  tally: Tally,
  { seed, counts }: { readonly seed: number; readonly counts: Counts },
): void {
  tally.seeds.push(seed)
  for (const [index, [times, marked]] of counts.entries()) {
    const marker = tally.markers[index]
    if (marker === undefined) continue
    const isReached = countReached({ ...marker, times, marked }) > 0
    tally.markers[index] = {
      ...marker,
      times: marker.times + times,
      marked: marker.marked + marked,
      histories: marker.histories + Number(isReached),
    }
  }
}

/** Returns how often a marker was reached; for `both values`, how often the rarer value occurred. */
export function countReached({
  counts,
  times,
  marked,
}: Pick<Marker & Count, 'counts' | 'times' | 'marked'>): number {
  return counts === 'both values' ? Math.min(marked, times - marked) : marked
}

export function writeTally(tally: Tally, file: string): void {
  writeFileSync(file, `${JSON.stringify(tally, null, 1)}\n`)
}
