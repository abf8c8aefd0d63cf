import { startPonderChain } from '../support/ponder-chain.ts'
import { USDC } from '../support/ponder-fixture.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { startReceiver } from '../support/receiver.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { backfill, FILTERED_CONFIG, fillChain, perSecond, TRANSFERS_PER_BLOCK } from './backfill.ts'
import { type BenchOptions, resize } from './bench.ts'
import { installNeighbours } from './beside/neighbours.ts'
import { runProgram } from './beside/run-program.ts'
import { type Comparison, compare, type Measurement } from './compare.ts'
import { ENDPOINTS, EVENTS, registerMeasured, SLOTS, sendMeasured, withRig } from './webhook-harness.ts'

const BLOCKS = 1_000

/** Target ratio of our rate to the rate of each program. */
const AIM = 1

/**
 * Compares our webhooks with graphile-worker and pg-boss, and our index of payments with `@subsquid/evm-processor`.
 *
 * The bench installs these packages. If npm cannot install them, the bench only reports that it was skipped.
 */
export async function benchBeside(options: BenchOptions): Promise<readonly (Comparison | Measurement)[]> {
  const manifest = await installNeighbours()
  if (manifest === null)
    return [{ name: 'skipped: npm cannot install the compared packages', unit: 'packages', value: 0 }]
  return [
    await besideQueue(options, { name: 'graphile-worker', manifest }),
    await besideQueue(options, { name: 'pg-boss', manifest }),
    await besideSquid(options, manifest),
  ]
}

/** Compares the rates of deliveries, with the same number of endpoints and the same maximum of concurrent requests. */
async function besideQueue(
  options: BenchOptions,
  { name, manifest }: { readonly name: 'graphile-worker' | 'pg-boss'; readonly manifest: string },
): Promise<Comparison> {
  const receiver = await startReceiver()
  const jobs = ENDPOINTS * resize(EVENTS, options)
  try {
    return await withRig(async (rig) => {
      const ids = await registerMeasured(rig, receiver)
      return compare({
        name: `deliver webhooks, signed, posted and recorded / ${name}`,
        ...{ aim: AIM, repetitions: options.repetitions },
        ours: () => sendMeasured(rig, ids, { ...options, receiver }),
        yardstick: () =>
          withDatabase(async (databaseUrl) =>
            Number(await runProgram(name, { manifest, databaseUrl, jobs, slots: SLOTS })),
          ),
      })
    })
  } finally {
    await receiver.stop()
  }
}

/** Compares the rates of indexing the same transfers, filtered by the same recipients. */
async function besideSquid(options: BenchOptions, manifest: string): Promise<Comparison> {
  const directory = await temporaryDirectory('bench-beside')
  const chain = await startPonderChain({ directory })
  try {
    const blocks = resize(BLOCKS, options)
    const charges = await fillChain(chain, blocks)
    const transfers = blocks * TRANSFERS_PER_BLOCK
    return await compare({
      name: `index ${transfers} transfers, 0.1 % ours / @subsquid/evm-processor`,
      ...{ aim: AIM, repetitions: Math.min(options.repetitions, 3) },
      ours: () =>
        perSecond(transfers, () => backfill({ chain, charges, transfers, config: FILTERED_CONFIG })),
      yardstick: () =>
        perSecond(transfers, () =>
          withDatabase(async (databaseUrl) => {
            const found = await runProgram('squid', {
              ...{ manifest, databaseUrl, rpcUrl: chain.rpcUrl, token: USDC, recipients: charges },
              lastBlock: blocks + 1,
            })
            if (found !== charges.length)
              throw new Error(
                `@subsquid/evm-processor found ${String(found)} transfers, not ${charges.length}`,
              )
          }),
        ),
    })
  } finally {
    await chain.stop()
  }
}

async function withDatabase<Found>(run: (databaseUrl: string) => Promise<Found>): Promise<Found> {
  const database = await createTestDatabase()
  try {
    return await run(database.url.owner)
  } finally {
    await database.drop()
  }
}
