import { isOnMachine } from '../engine/owned-process.ts'

/** The functions that the instrumented code calls. The code finds them on the global object. */
export type Probe = {
  /** Counts an execution. Returns the value if the place is an expression. */
  readonly executes: <Value>(index: number, value?: Value) => Value
  /** Counts an evaluation, and whether its value is the decisive one. Returns the value. */
  readonly decides: <Value>(index: number, value: Value, decisive: boolean) => Value
  /** Counts an evaluation, and whether the mutant's value is different. Returns the code's value. */
  readonly differs: <Value>(index: number, value: Value, evaluateMutant: () => unknown) => Value
}

/** How often each marker was reached, by its number: all times, and the times that count. */
export type Counts = readonly (readonly [times: number, marked: number])[]

const KEY = Symbol.for('simulation.reached')

/** Counts of this process since the last `takeCounts`; empty without markers. */
let counts: [number, number][] = []

export function takeCounts(): Counts {
  const taken = counts
  counts = taken.map(() => [0, 0])
  return taken
}

export function count(index: number, isMarked: boolean): void {
  const entry = counts[index]
  if (entry === undefined) return
  entry[0] += 1
  if (isMarked) entry[1] += 1
}

/** Installs the probe. It counts only in simulated processes. */
export function installProbe(markers: number): void {
  counts = Array.from({ length: markers }, () => [0, 0])
  const probe: Probe = {
    executes: (index, value) => {
      if (isOnMachine()) count(index, true)
      return value as NonNullable<typeof value>
    },
    decides: (index, value, decisive) => {
      if (isOnMachine()) count(index, Boolean(value) === decisive)
      return value
    },
    differs: (index, value, evaluateMutant) => {
      if (isOnMachine()) count(index, isDifferent(value, evaluateMutant))
      return value
    },
  }
  Reflect.set(globalThis, KEY, probe)
}

function isDifferent(value: unknown, evaluateMutant: () => unknown): boolean {
  try {
    return !isEqual(value, evaluateMutant(), 2)
  } catch {
    return true
  }
}

/** Compares values, including the members of lists, sets, maps and objects down to this depth. */
function isEqual(one: unknown, other: unknown, depth: number): boolean {
  if (Object.is(one, other)) return true
  if (depth === 0 || !isObject(one) || !isObject(other)) return false
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime()
  const [ours, theirs] = [listMembers(one), listMembers(other)]
  return ours.length === theirs.length && ours.every((each, at) => isEqual(each, theirs[at], depth - 1))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function listMembers(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value instanceof Set || value instanceof Map ? [...value].flat() : Object.values(value)
}
