import { createRandomStream } from './engine/chance.ts'
import type { SimulatedDatabase } from './engine/database.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { createStandby } from './engine/standby.ts'
import type { Plan } from './plan-types.ts'
import type { createCast } from './processes.ts'

/** Whether commits reach the standby before they are acknowledged, or later. */
export type Replication = 'synchronous' | 'asynchronous'

type Terms = {
  readonly scheduler: Scheduler
  readonly database: Pick<SimulatedDatabase, 'sql'>
  readonly plan: Plan
  readonly cast: Pick<ReturnType<typeof createCast>, 'cutSessions' | 'api'>
}

/** Maximum time from the standby's last received commit to the planned request of the charge. */
const MAX_LAG_MS = 1_000
const POLL_MS = 100
/** Maximum time until the primary fails, after the response 201 is noticed for a charge that the standby lacks. */
const FAILS_WITHIN_MS = 4_000

/**
 * Plans a failover within about 4 s after the API has returned 201 for a new charge.
 *
 * An asynchronous standby lacks the commit of the charge and all later commits, so nearly every such history must
 * violate an invariant. This is the negative control for synchronous commits. With a synchronous standby, every
 * invariant must hold.
 */
export function planFailover({ scheduler, database, plan, cast }: Terms, replication: Replication): void {
  const random = createRandomStream(scheduler.seed, 'failover')
  const { atMs } = random.pick(plan.charges.filter((charge) => charge.atMs < plan.troubledMs))
  const standby = createStandby(database.sql)
  const later = (delayMs: number, label: string, run: () => void | Promise<void>) =>
    void scheduler.later({ delayMs, process: null, label, run })
  later(Math.max(0, atMs - random.integer(MAX_LAG_MS)), 'the standby falls behind', async () => {
    await standby.receive()
    awaitCharge(scheduler.nowMs())
  })

  /** Waits for the response 201 to a request sent after the standby's last received commit. */
  function awaitCharge(sinceMs: number): void {
    const isCreated = cast.api.exchanges.some(({ status, sentMs }) => status === 201 && sentMs >= sinceMs)
    if (isCreated) later(random.integer(FAILS_WITHIN_MS), 'the primary fails', fail)
    else if (!scheduler.isCalm()) later(POLL_MS, 'the primary works', () => awaitCharge(sinceMs))
  }

  async function fail(): Promise<void> {
    await cast.cutSessions()
    if (replication === 'synchronous') await standby.receive()
    await standby.promote()
  }
}
