import { sweepLeftovers } from '../support/sweep-leftovers.ts'
import { startServer } from './engine/database.ts'
import { simulate } from './simulate.ts'
import { arrangeWorld, CHAIN_IDS } from './world.ts'

/** What a worker is told to run. */
export type SeedOrder = {
  readonly seed: number
  readonly maxSteps?: number
  readonly withoutFaults?: readonly string[]
  /** Prints all that happens. */
  readonly isTraced?: boolean
}

/** The process that runs seeds for `run-seeds.ts`, one after the other, until its parent lets go of it. */
const server = sweepLeftovers(`stablecoin-simulation-${process.getuid?.() ?? 0}-`).then(() =>
  startServer(CHAIN_IDS, arrangeWorld),
)

process.on('message', (order: SeedOrder) => void run(order))
process.once('disconnect', () => void server.then(({ stop }) => stop()).then(() => process.exit(0)))

// Nobody looks at where an error comes from, and viem makes them by the thousand.
Error.stackTraceLimit = 0

async function run({ seed, maxSteps, withoutFaults = [], isTraced = false }: SeedOrder): Promise<void> {
  const outcome = await simulate(await server, seed, {
    withoutFaults: new Set(withoutFaults),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(isTraced && { onLine: (line: string) => console.log(line) }),
  })
  process.send?.(outcome)
}
