import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SeedOrder } from './seed-worker.ts'
import type { Outcome } from './simulate.ts'

/** Runs one seed. */
export type RunSeed = (order: SeedOrder) => Promise<Outcome>

type Terms = {
  readonly from: number
  readonly count: number
  /** Number of processes, each with its own PostgreSQL. */
  readonly workers: number
  /**
   * Called when a seed ends, in any order. `run` runs a seed again, with other options. If the callback returns
   * `enough`, no further seed is started.
   */
  readonly onOutcome: (outcome: Outcome, run: RunSeed) => Promise<'more' | 'enough'>
  readonly order: Omit<SeedOrder, 'seed'>
}

/**
 * Maximum duration of a seed, a hundred times the duration on a busy machine. A seed that takes longer waits for an
 * event that never happens.
 */
const LIMIT_MS = 600_000

/** Runs seeds in separate processes. Each free process takes the next seed. */
export async function runSeeds({ from, count, workers, onOutcome, order }: Terms): Promise<void> {
  let next = from
  let isEnough = false
  const work = async () => {
    const worker = createWorker()
    try {
      while (!isEnough && next < from + count) {
        const seed = next
        next += 1
        const outcome = await worker.run({ ...order, seed })
        if ((await onOutcome(outcome, worker.run)) === 'enough') isEnough = true
      }
    } finally {
      await worker.end()
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, count) }, work))
}

/** Creates a worker. Its process is restarted after a seed that crashed it. */
function createWorker(): { readonly run: RunSeed; readonly end: () => Promise<void> } {
  let child: ChildProcess | null = null

  async function run(order: SeedOrder): Promise<Outcome> {
    child ??= fork(join(import.meta.dirname, 'seed-worker.ts'), {
      // The garbage of a step is never used again, so a larger young generation makes garbage collection rarer and
      // cheaper.
      execArgv: [...process.execArgv, '--max-semi-space-size=64'],
    })
    const over = new AbortController()
    const { signal } = over
    const asked = child
    asked.send(order)
    const answer = await Promise.race([
      once(asked, 'message', { signal }).then(([outcome]) => outcome as Outcome),
      once(asked, 'exit', { signal }).then(([code, by]) => `the simulator ended with ${by ?? code}`),
      delay(LIMIT_MS, `the seed has not ended after ${LIMIT_MS / 1000} s`, { signal }),
    ]).finally(() => over.abort())
    if (typeof answer !== 'string') return answer
    await kill()
    return {
      seed: order.seed,
      failure: answer,
      hash: '',
      faults: [],
      happened: 0,
      simulatedSeconds: 0,
      turns: { asleep: 0, awake: 0 },
    }
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
    /** Disconnects the process, which then stops its PostgreSQL and ends. */
    end: async () => {
      if (child === null || child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
