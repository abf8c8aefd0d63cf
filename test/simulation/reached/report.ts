import type { Count, Marker } from './marker.ts'
import { findReason } from './out-of-reach.ts'
import { countReached, type Tally } from './tally.ts'

/** Minimum number of seeds of a run that can fail because of rarely reached rules. */
const ENOUGH_SEEDS = 2_000
/** Number of histories, out of `ENOUGH_SEEDS`, that must reach each rule. */
const MIN_HISTORIES = 20
/** Maximum number of listed rules. The tally's file has all rules. */
const MAX_LINES = 60

/**
 * Lists the rules that were reached too rarely, the rarest first, and how often each was reached. With fewer than 2,000
 * seeds, the required number of histories is proportionally smaller but at least one, and the run does not fail.
 */
export function reportReached({ seeds, markers }: Tally): {
  readonly lines: readonly string[]
  readonly isEnough: boolean
} {
  const required = markers.filter(isRequired)
  const least = (MIN_HISTORIES * seeds.length) / ENOUGH_SEEDS
  const rare = required.filter(
    ({ histories }) => histories === 0 || histories < Math.min(least, MIN_HISTORIES),
  )
  const isEnough = rare.length === 0 || seeds.length < ENOUGH_SEEDS
  const sorted = rare.toSorted((a, b) => a.histories - b.histories || a.times - b.times)
  const shown = sorted.slice(0, MAX_LINES)
  return {
    lines: [
      `${seeds.length} histories reached ${required.length - rare.length} of ${required.length} rules often enough`,
      ...shown.map(format),
      ...(rare.length > shown.length ? [`… and ${rare.length - shown.length} more`] : []),
      ...(isEnough
        ? []
        : ['The simulation does not test a rule that its histories rarely reach: change the fault plan.']),
    ],
    isEnough,
  }
}

function isRequired(marker: Marker): boolean {
  return marker.counts !== 'nothing' && findReason(marker) === null
}

function format(marker: Marker & Count): string {
  const reached = `${countReached(marker)} of ${marker.times} in ${marker.histories}`
  return `  ${reached.padEnd(22)}  ${marker.name}  (${marker.at})`
}
