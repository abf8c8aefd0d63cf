import { createHash, type Hash } from 'node:crypto'
import type { Random } from '../../support/seeded-random.ts'
import { createRandomStream, drawFraction } from './chance.ts'
import { pop, push } from './heap.ts'
import { afterEvents, hasImmediates, isLoading, type Machine, switchTo } from './owned-process.ts'

/** A simulated process: a daemon or the API. Once it is killed, it does nothing more. */
export type SimulatedProcess = {
  readonly name: string
  readonly machine: Machine
  readonly isDead: () => boolean
  /** Registers a function that releases the process's resources. It is called once, when the process is killed. */
  readonly onDeath: (release: () => Promise<void>) => void
  /** Called with an error that the process did not catch. Must end the process. */
  readonly fail: (error: unknown) => Promise<void>
}

type Waiting = {
  readonly atMs: number
  readonly tie: number
  readonly order: number
  readonly process: SimulatedProcess | null
  readonly label: string
  readonly run: () => void | Promise<void>
  isTakenBack: boolean
}

export type Planned = {
  readonly delayMs: number
  /** With `null`, the event belongs to no process and happens even if processes die. */
  readonly process: SimulatedProcess | null
  readonly label: string
  readonly run: () => void | Promise<void>
}

export type Scheduler = ReturnType<typeof createScheduler>

type Options = {
  readonly seed: number
  readonly startMs: number
  /** Drawn faults that are suppressed, to find the few faults that cause a failure. */
  readonly withoutFaults?: ReadonlySet<string>
  readonly onLine?: ((line: string) => void) | undefined
}

/** The history is hashed in parts of about this number of characters. */
const MAX_PENDING = 65_536

/**
 * Value of `calmStepMs` when the faults end. The value then grows, because an hour of waiting for a retry needs no
 * event every second.
 */
const MIN_STEP_MS = 15_000
/** Maximum of `calmStepMs`. A chain that does not advance for two minutes would count as silent. */
export const MAX_STEP_MS = 90_000

/**
 * Creates the scheduler, which runs one event at a time, in order of time, and advances the clock. The seed decides the
 * order of simultaneous events.
 *
 * Everything that a simulated process waits for is in one queue: responses, timers, faults. The scheduler releases the
 * earliest event, and the next event only when all code that ran because of the first is waiting again.
 */
export function createScheduler({ seed, startMs, withoutFaults = new Set(), onLine }: Options) {
  const queue: Waiting[] = []
  const ties = createRandomStream(seed, 'ties')
  const history: Hash = createHash('sha256')
  const faults: string[] = []
  const uncaught: unknown[] = []
  const counts = new Map<string, number>()
  let pending = ''
  let nowMs = startMs
  let order = 0
  let underWay = 0
  let happened = 0
  let calmMs = Number.POSITIVE_INFINITY

  return {
    seed,
    onUncaught: (error: unknown) => void uncaught.push(error),
    nowMs: () => nowMs,
    now: () => new Date(nowMs),
    later,
    note,
    real: track,
    createProcess,
    run,
    meets,
    /** Ends the faults. */
    calm: () => {
      calmMs = nowMs
    },
    isCalm,
    /** Returns the maximum lateness of a timer after the faults have ended, in milliseconds; before that, 0. */
    calmStepMs: () => (isCalm() ? Math.min(MAX_STEP_MS, MIN_STEP_MS + Math.floor((nowMs - calmMs) / 10)) : 0),
    faults: () => faults,
    happened: () => happened,
    /** Returns the hash of all events, in order. */
    historyHash: () => {
      writeHistory()
      return history.copy().digest('hex')
    },
  }

  function isCalm(): boolean {
    return nowMs >= calmMs
  }

  /** Plans an event. Returns a function that cancels it. */
  function later({ delayMs, ...planned }: Planned): () => void {
    order += 1
    const waiting: Waiting = {
      ...{ ...planned, atMs: nowMs + Math.max(0, delayMs), tie: ties.fraction(), order },
      isTakenBack: false,
    }
    push(queue, waiting)
    return () => {
      waiting.isTakenBack = true
    }
  }

  /** Adds a line to the history. The same seed always has the same history. */
  function note(line: string): void {
    pending += `${line}\n`
    if (pending.length > MAX_PENDING) writeHistory()
    onLine?.(`${new Date(nowMs).toISOString().slice(11, 23)} ${line}`)
  }

  function writeHistory(): void {
    history.update(pending)
    pending = ''
  }

  /**
   * Returns whether a fault happens at this point. Each fault is drawn by its own name, so that suppressing a fault
   * does not change the draws of other faults.
   */
  function meets(kind: string, place: string, probability: number): boolean {
    if (isCalm() || probability <= 0) return false
    const name = `${kind} ${place} ${next(`${kind} ${place}`)}`
    if (drawFraction(seed, name) >= probability || withoutFaults.has(name)) return false
    faults.push(name)
    note(`fault ${name}`)
    return true
  }

  function next(name: string): number {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count
  }

  /** Delays all other events until this work, which takes real time, is done. */
  async function track<Result>(work: Promise<Result>): Promise<Result> {
    underWay += 1
    try {
      return await work
    } finally {
      underWay -= 1
    }
  }

  /**
   * Resolves when all code that ran because of the last event is waiting again. One round of the event loop settles all
   * promises, so more rounds are needed only for pending immediates and work in real time.
   */
  async function settle(): Promise<void> {
    do await afterEvents()
    while (isBusy())
  }

  function isBusy(): boolean {
    return underWay > 0 || hasImmediates() || isLoading()
  }

  /** Runs events until the given time, or until `each` returns `true`. */
  async function run(untilMs: number, each: () => Promise<boolean> | boolean = () => false): Promise<void> {
    await settle()
    for (;;) {
      const first = queue[0]
      if (first === undefined || first.atMs > untilMs) break
      pop(queue)
      if (first.isTakenBack || first.process?.isDead() === true) continue
      nowMs = Math.max(nowMs, first.atMs)
      happened += 1
      note(`${nowMs - startMs} ${first.process?.name ?? 'world'} ${first.label}`)
      switchTo(first.process?.machine ?? null)
      await first.run()
      await settle()
      await failUncaught(first.process)
      switchTo(null)
      if (await each()) return
    }
    nowMs = Math.max(nowMs, untilMs)
  }

  /**
   * Fails the process of the last event if there are uncaught errors, because no other process has run since. Throws
   * the error if the event belongs to no process.
   */
  async function failUncaught(process: SimulatedProcess | null): Promise<void> {
    for (const error of uncaught.splice(0)) {
      if (process === null) throw error
      if (!process.isDead()) await process.fail(error)
    }
  }

  function createProcess(name: string, { fetch, stretch, fail }: ProcessTerms) {
    const chance: Random = createRandomStream(seed, `chance of ${name}`)
    const releases: (() => Promise<void>)[] = []
    let isDead = false
    const created: SimulatedProcess = {
      name,
      fail,
      isDead: () => isDead,
      onDeath: (release) => releases.push(release),
      machine: {
        nowMs: () => nowMs,
        fraction: chance.fraction,
        fetch: (...request) => fetch(created, ...request),
        later: (delayMs, callback) =>
          later({ delayMs: stretch(delayMs), process: created, label: 'timer', run: callback }),
      },
    }
    const kill = async () => {
      isDead = true
      note(`${name} dies`)
      for (const release of releases.splice(0)) await release()
    }
    return { process: created, kill }
  }
}

type ProcessTerms = {
  readonly fetch: (process: SimulatedProcess, ...request: Parameters<typeof fetch>) => Promise<Response>
  readonly fail: SimulatedProcess['fail']
  /** Returns the actual delay of a timer, which is never shorter than requested. */
  readonly stretch: (delayMs: number) => number
}
