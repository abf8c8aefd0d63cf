import { sweepLeftovers } from '../support/sweep-leftovers.ts'
import { startServer } from './engine/database.ts'
import type { Replication } from './failover.ts'
import { type Counts, takeCounts } from './reached/probe.ts'
import { type Outcome, simulate } from './simulate.ts'
import { arrangeWorld, CHAIN_IDS } from './world.ts'

export type SeedOrder = {
  readonly seed: number
  readonly maxSteps?: number
  readonly withoutFaults?: readonly string[]
  /** Whether one daemon, and one node per chain, never recover from the faults. */
  readonly isLiveness?: boolean
  /** Replication to the standby to which the database fails over. Default: no failover. */
  readonly failover?: Replication
  readonly isTraced?: boolean
}

/** A worker's response. `counts` states how often the history reached each marker; empty without markers. */
export type SeedResult = { readonly outcome: Outcome; readonly counts: Counts }

/** The PostgreSQL server for the seeds, which this process runs one by one until its parent disconnects. */
const server = sweepLeftovers(`stablecoin-simulation-${process.getuid?.() ?? 0}-`).then(() =>
  startServer(CHAIN_IDS, arrangeWorld),
)

process.on('message', (order: SeedOrder) => void run(order))
process.once('disconnect', () => void server.then(({ stop }) => stop()).then(() => process.exit(0)))

// Saves time, because viem creates thousands of errors whose stack traces are not used.
Error.stackTraceLimit = 0

async function run({ seed, withoutFaults = [], isTraced = false, ...options }: SeedOrder): Promise<void> {
  const running = await server
  takeCounts()
  const outcome = await simulate(running, seed, {
    withoutFaults: new Set(withoutFaults),
    ...options,
    ...(isTraced && { onLine: (line: string) => console.log(line) }),
  })
  process.send?.({ outcome, counts: takeCounts() } satisfies SeedResult)
}
