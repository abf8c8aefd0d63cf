import { createHash, type Hash } from 'node:crypto'
import type { Random } from '../../support/seeded-random.ts'
import { createRandomStream, drawFraction } from './chance.ts'
import { pop, push } from './heap.ts'
import { afterEvents, hasImmediates, isLoading, type Machine, switchTo } from './owned-process.ts'

/** A process that is simulated: a daemon, or the API. Killed, it does nothing any more. */
export type SimulatedProcess = {
  readonly name: string
  readonly machine: Machine
  readonly isDead: () => boolean
  /** Takes back what the process holds of the world; called once, when it is killed. */
  readonly onDeath: (release: () => Promise<void>) => void
  /** Ends it for an error that nobody has caught, as `createLifecycle` ends a process; throws where none may happen. */
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

/** What is to happen, whose it is, and how much later. */
export type Planned = {
  readonly delayMs: number
  /** Nobody's: it happens whoever dies. */
  readonly process: SimulatedProcess | null
  readonly label: string
  readonly run: () => void | Promise<void>
}

export type Scheduler = ReturnType<typeof createScheduler>

type Options = {
  readonly seed: number
  readonly startMs: number
  /** Faults that do not happen, though the seed says so: for whoever looks for the few that matter. */
  readonly withoutFaults?: ReadonlySet<string>
  /** Called with every line of the history. */
  readonly onLine?: ((line: string) => void) | undefined
}

/** So many characters of the history are hashed at once. */
const MAX_PENDING = 65_536

/** Steps grow: what is retried in an hour need not be looked for at every second of it. */
const MIN_STEP_MS = 15_000
/** Far below the two minutes after which a chain that does not go on is taken for a silent one. */
const MAX_STEP_MS = 90_000

/**
 * Makes what lets one thing happen at a time, in the order of the seed, on a clock that moves with it.
 *
 * Whatever a simulated process waits for stands in one queue: an answer, a timer, a fault. The earliest is let go, and
 * then nothing else until everything that follows from it waits again.
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
    /** To be told of what nobody has caught. */
    onUncaught: (error: unknown) => void uncaught.push(error),
    nowMs: () => nowMs,
    now: () => new Date(nowMs),
    later,
    note,
    real: track,
    createProcess,
    run,
    meets,
    /** No fault happens any more. */
    calm: () => {
      calmMs = nowMs
    },
    isCalm,
    /** How much later than asked for a timer may fire since no fault happens any more; 0 before. */
    calmStepMs: () => (isCalm() ? Math.min(MAX_STEP_MS, MIN_STEP_MS + Math.floor((nowMs - calmMs) / 10)) : 0),
    /** The faults that have happened. */
    faults: () => faults,
    /** How many things have happened. */
    happened: () => happened,
    /** Of all that has happened, in its order. */
    historyHash: () => {
      writeHistory()
      return history.copy().digest('hex')
    },
  }

  function isCalm(): boolean {
    return nowMs >= calmMs
  }

  /** Plans what is to happen; answers how to take it back. */
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

  /** Adds a line to the history, which is the same for the same seed. */
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
   * Tells whether a fault happens here and now. Each is drawn by its own name, so that without one the others stay as
   * they were, as far as what follows lets them.
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

  /** What waits for the world itself is waited for before anything else happens. */
  async function track<Result>(work: Promise<Result>): Promise<Result> {
    underWay += 1
    try {
      return await work
    } finally {
      underWay -= 1
    }
  }

  /**
   * Resolves when all that follows from what has happened waits again. Promises are settled before Node's next turn, so
   * one turn suffices where nothing is put off to the next, and nobody waits for the world itself.
   */
  async function settle(): Promise<void> {
    do await afterEvents()
    while (isBusy())
  }

  function isBusy(): boolean {
    return underWay > 0 || hasImmediates() || isLoading()
  }

  /** Lets things happen until the time has come; `true` from `each` ends it before. */
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

  /** What nobody has caught is of the process that something has just happened to: nothing else has. */
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
  /** How long a timer really takes: never less than it was asked for. */
  readonly stretch: (delayMs: number) => number
}
