import { sweepLeftovers } from '../support/sweep-leftovers.ts'
import { startServer } from './engine/database.ts'
import { simulate } from './simulate.ts'
import { arrangeWorld, CHAIN_IDS } from './world.ts'

/** The seed that a worker must run, with its options. */
export type SeedOrder = {
  readonly seed: number
  readonly maxSteps?: number
  readonly withoutFaults?: readonly string[]
  /** Whether every event is printed. */
  readonly isTraced?: boolean
}

/** PostgreSQL of this process, which runs seeds for `run-seeds.ts` one by one until its parent disconnects. */
const server = sweepLeftovers(`stablecoin-simulation-${process.getuid?.() ?? 0}-`).then(() =>
  startServer(CHAIN_IDS, arrangeWorld),
)

process.on('message', (order: SeedOrder) => void run(order))
process.once('disconnect', () => void server.then(({ stop }) => stop()).then(() => process.exit(0)))

// Stack traces are not used, and viem creates thousands of errors.
Error.stackTraceLimit = 0

async function run({ seed, maxSteps, withoutFaults = [], isTraced = false }: SeedOrder): Promise<void> {
  const outcome = await simulate(await server, seed, {
    withoutFaults: new Set(withoutFaults),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(isTraced && { onLine: (line: string) => console.log(line) }),
  })
  process.send?.(outcome)
}
