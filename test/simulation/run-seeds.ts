import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Counts } from './reached/probe.ts'
import type { SeedOrder, SeedResult } from './seed-worker.ts'
import type { Outcome } from './simulate.ts'

export type RunSeed = (order: SeedOrder) => Promise<Outcome>

type Terms = {
  readonly seeds: readonly number[]
  /** Number of processes, each with its own PostgreSQL. */
  readonly workers: number
  /**
   * Called when a seed ends, in any order of seeds. `run` runs a seed again, with other options. If the callback
   * returns `enough`, no further seed is started.
   */
  readonly onOutcome: (outcome: Outcome, run: RunSeed) => Promise<'more' | 'enough'>
  /** The markers with which workers load the product; `null` for none. */
  readonly markers?: Markers | null
  /** The repository's root or a copy of it, from which the workers load all code. */
  readonly directory?: string
  readonly order: Omit<SeedOrder, 'seed'>
}

/** The file of the instrumented code, and the callback for the counts of each history. */
export type Markers = {
  readonly file: string
  readonly onCounts: (history: { readonly seed: number; readonly counts: Counts }) => void
}

/**
 * Maximum duration of a seed, a hundred times the duration on a busy machine. A seed that exceeds it waits for an event
 * that never happens.
 */
const LIMIT_MS = 600_000

/** Runs seeds in separate processes. Each free process takes the next seed. */
export async function runSeeds(terms: Terms): Promise<void> {
  const { seeds, workers, onOutcome, order, markers = null, directory = REPOSITORY } = terms
  const waiting = seeds.values()
  let isEnough = false
  const work = async () => {
    const worker = createWorker(directory, markers)
    const run: RunSeed = async (order) => (await worker.run(order)).outcome
    try {
      for (const seed of waiting) {
        const { outcome, counts } = await worker.run({ ...order, seed })
        markers?.onCounts({ seed, counts })
        if ((await onOutcome(outcome, run)) === 'enough') isEnough = true
        if (isEnough) break
      }
    } finally {
      await worker.end()
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, seeds.length) }, work))
}

const REPOSITORY = resolve(import.meta.dirname, '../..')
const MARKED = ['--import', join(import.meta.dirname, 'reached/register.ts')]

/** Creates a worker. Its process is replaced after a seed that crashed it or exceeded the limit. */
function createWorker(
  directory: string,
  markers: Markers | null,
): {
  readonly run: (order: SeedOrder) => Promise<SeedResult>
  readonly end: () => Promise<void>
} {
  let child: ChildProcess | null = null

  async function run(order: SeedOrder): Promise<SeedResult> {
    child ??= fork(join(directory, 'test/simulation/seed-worker.ts'), {
      cwd: directory,
      // A step's objects are soon unused, so a larger young generation makes garbage collection rarer and cheaper.
      execArgv: [...process.execArgv, ...(markers === null ? [] : MARKED), '--max-semi-space-size=64'],
      env: { ...process.env, SIMULATION_MARKERS: markers?.file },
    })
    const over = new AbortController()
    const { signal } = over
    const asked = child
    asked.send(order)
    const answer = await Promise.race([
      once(asked, 'message', { signal }).then(([result]) => result as SeedResult),
      once(asked, 'exit', { signal }).then(([code, by]) => `the simulator ended with ${by ?? code}`),
      delay(LIMIT_MS, `the seed has not ended after ${LIMIT_MS / 1000} s`, { signal }),
    ]).finally(() => over.abort())
    if (typeof answer !== 'string') return answer
    await kill()
    return { outcome: failedBy(order.seed, answer), counts: [] }
  }

  async function kill(): Promise<void> {
    const dying = child
    child = null
    if (dying === null || dying.exitCode !== null || dying.signalCode !== null) return
    dying.kill('SIGKILL')
    await once(dying, 'exit')
  }

  return {
    run,
    /** Disconnects the process, which then stops its PostgreSQL and exits. */
    end: async () => {
      if (child === null || child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

function failedBy(seed: number, failure: string): Outcome {
  return {
    ...{ seed, failure, hash: '', faults: [], happened: 0, simulatedSeconds: 0, restSeconds: 0 },
    turns: { asleep: 0, awake: 0 },
  }
}
