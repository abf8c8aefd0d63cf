import type { SimulatedServer } from './engine/database.ts'
import { ownProcess } from './engine/owned-process.ts'
import { createScheduler } from './engine/scheduler.ts'
import { planFailover, type Replication } from './failover.ts'
import { beginLosses, chooseLosses, nameLoss } from './for-good.ts'
import { createHistory } from './history.ts'
import { createInvariants } from './invariants.ts'
import { drawPlan } from './plan.ts'
import type { Plan } from './plan-types.ts'
import { createCast } from './processes.ts'
import { REST_MS } from './rest-bound.ts'
import { listStalledRows } from './stalled-rows.ts'
import { START_MS } from './world.ts'

export type Outcome = {
  readonly seed: number
  /** The first violation; `null` if every invariant held. */
  readonly failure: string | null
  /** Hash of all events, in order. */
  readonly hash: string
  readonly faults: readonly string[]
  readonly happened: number
  readonly simulatedSeconds: number
  /** Simulated seconds from the end of the faults until all work was done. */
  readonly restSeconds: number
  /** How often networks fell asleep, and how often they woke. */
  readonly turns: { readonly asleep: number; readonly awake: number }
}

type Options = {
  readonly withoutFaults?: ReadonlySet<string>
  /** Changes the plan that is drawn for the seed. */
  readonly change?: (plan: Plan) => Plan
  /** Whether one daemon, and one node per chain, never recover from the faults. */
  readonly isLiveness?: boolean | undefined
  /** Replication to the standby to which the database fails over. `asynchronous` must cause a violation. */
  readonly failover?: Replication | undefined
  readonly maxSteps?: number
  readonly onLine?: (line: string) => void
}

const LOOK_MS = 60_000
/** Time after the end of the faults at which a last charge wakes the networks, if the service has missed a payment. */
const WAKES_AFTER_MS = 15 * 60_000
/** Number of events between two checks of the invariants, each of which executes several statements. */
const STEPS_PER_LOOK = 400
const MAX_STEPS = 400_000

/** Runs the history of one seed on its own database. */
export async function simulate(
  server: SimulatedServer,
  seed: number,
  options: Options = {},
): Promise<Outcome> {
  ownProcess()
  const database = await server.openDatabase()
  const scheduler = createScheduler({ seed, startMs: START_MS, ...options })
  let turns = { asleep: 0, awake: 0 }
  let restSeconds = 0
  const end = (failure: string | null): Outcome => ({
    turns,
    restSeconds,
    ...{ seed, failure, hash: scheduler.historyHash(), faults: scheduler.faults() },
    ...{ happened: scheduler.happened(), simulatedSeconds: (scheduler.nowMs() - START_MS) / 1000 },
  })
  const { change = (drawn) => drawn, isLiveness } = options
  const plan = change(drawPlan(seed, { isLiveness }))
  const history = await createHistory({ scheduler, database, plan })
  const cast = createCast({ scheduler, server, database, plan, history })
  turns = cast.turns
  const laws = createInvariants({ database, history, nowMs: scheduler.nowMs, ...cast })
  process.on('unhandledRejection', scheduler.onUncaught)
  try {
    const { maxSteps = MAX_STEPS } = options
    const look = async () => {
      const happened = scheduler.happened()
      if (happened >= maxSteps) throw new Broken(`the history did not come to rest in ${maxSteps} steps`)
      if (happened % STEPS_PER_LOOK === 0) await requireAlways()
      return false
    }
    const requireAlways = async () => {
      await cast.learnCharges()
      requireNone(await laws.always())
    }
    history.beforeEachBlock(async () => {
      await cast.learnCharges()
      requireNone(await laws.beforeBlock())
    })
    cast.begin()
    if (options.failover) planFailover({ scheduler, database, plan, cast }, options.failover)
    await scheduler.run(START_MS + plan.troubledMs, look)
    const losses = chooseLosses(scheduler, plan.losses)
    scheduler.calm()
    scheduler.note('calm')
    history.heal()
    beginLosses({ scheduler, history, cast }, losses)
    const calmMs = scheduler.nowMs()
    const endMs = calmMs + REST_MS
    let isWoken = plan.sleep === null
    for (;;) {
      await scheduler.run(scheduler.nowMs() + LOOK_MS, look)
      await requireAlways()
      const unfinished = await laws.atRest()
      restSeconds = (scheduler.nowMs() - calmMs) / 1000
      if (unfinished.length === 0) break
      // A late payment on a sleeping network is found only when the network wakes. All other work has
      // `WAKES_AFTER_MS` to finish before that.
      const isLate = scheduler.nowMs() >= calmMs + WAKES_AFTER_MS
      if (!isWoken && isLate && (await laws.hasUnseenPayment())) {
        isWoken = true
        cast.wakeNetworks()
      }
      if (scheduler.nowMs() < endMs) continue
      const stalled = [...losses.map(nameLoss), ...(await listStalledRows({ database, history }))]
      throw new Broken([unfinished.join('; '), ...stalled].join('\n    '))
    }
    scheduler.note(await laws.digest())
    return end(null)
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    if (options.onLine !== undefined) for (const line of await laws.describe()) options.onLine(line)
    return end(error.message)
  } finally {
    process.off('unhandledRejection', scheduler.onUncaught)
    await cast.killAll()
    await database.drop()
  }
}

class Broken extends Error {}

function requireNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Broken(problems.join('; '))
}
