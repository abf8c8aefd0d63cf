import { closeSync, openSync, writeSync } from 'node:fs'
import type { Entry, Fact } from './checker/entry.ts'

/** An append-only record in a file, one JSON object per line. */
export type Recorder = {
  /** Appends a fact with the current time. Returns that time. */
  readonly add: (fact: Fact) => number
  readonly count: (type: Fact['type']) => number
  /** Returns an unused number for a request or a connection. */
  readonly nextId: () => number
  readonly close: () => void
}

/** Creates a record. Its times never go back, even if the machine's clock is changed. */
export function createRecorder(file: string): Recorder {
  const descriptor = openSync(file, 'a')
  const counts = new Map<Fact['type'], number>()
  let lastId = 0
  return {
    add: (fact) => {
      const entry: Entry = { ...fact, atMs: readClock() }
      writeSync(descriptor, `${JSON.stringify(entry)}\n`)
      counts.set(fact.type, (counts.get(fact.type) ?? 0) + 1)
      return entry.atMs
    },
    count: (type) => counts.get(type) ?? 0,
    nextId: () => {
      lastId += 1
      return lastId
    },
    close: () => closeSync(descriptor),
  }
}

/** Returns the time of the record's clock, in Unix milliseconds. */
export function readClock(): number {
  return performance.timeOrigin + performance.now()
}
