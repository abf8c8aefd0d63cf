import { setFlagsFromString } from 'node:v8'

/** The old generation grows by half of what is in use, not to four times as much, before V8 collects it. */
const GROWTH_PERCENT = 50

/**
 * Bounds the memory of a process whose requests create much garbage, like an export of a million rows. V8 collects while
 * the process continues, so that this costs processor time, but no delay.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}
