import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Markers } from '../run-seeds.ts'
import { type Instrumentation, instrumentProduct } from './instrument.ts'
import { reportReached } from './report.ts'
import { addCounts, openTally, writeTally } from './tally.ts'

/** Histories between two writes of the tally's file, from which an interrupted run can continue. */
const WRITE_EVERY = 20

/**
 * Places the markers for a run, and counts how often its histories reach them.
 *
 * @param file - the tally's file, which a later run continues; `null` for none
 */
export function countReachedRules(file: string | null) {
  const instrumentation = instrumentProduct()
  const code = storeInstrumentation(instrumentation)
  const tally = openTally(instrumentation, file)
  const write = () => (file === null ? undefined : writeTally(tally, file))
  const markers: Markers = {
    file: code,
    onCounts: (history) => {
      addCounts(tally, history)
      if (tally.seeds.length % WRITE_EVERY === 0) write()
    },
  }
  return {
    markers,
    /** Seeds that an earlier run has counted. */
    counted: new Set(tally.seeds),
    end: () => {
      write()
      return reportReached(tally)
    },
  }
}

/** Stores the instrumented code in a file until this process ends. Returns the file's path. */
export function storeInstrumentation(instrumentation: Instrumentation): string {
  const directory = mkdtempSync(join(tmpdir(), 'simulation-markers-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const code = join(directory, 'instrumented.json')
  writeFileSync(code, JSON.stringify(instrumentation))
  return code
}
