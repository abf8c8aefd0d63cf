import { expect } from 'chai'
import { type SimulatedServer, startServer } from './engine/database.ts'
import { shrink } from './shrink.ts'
import { type Outcome, simulate } from './simulate.ts'
import { arrangeWorld, CHAIN_IDS } from './world.ts'

const isLong = process.env['TEST_LONG'] === '1'

/**
 * A sample of the seeds that `npm run test:simulation` runs by the thousand. Each takes a little more than a second of
 * CPU time.
 */
const SEEDS = Array.from({ length: isLong ? 100 : 3 }, (_, index) => index + 1)

describe('simulated histories', function () {
  this.timeout(isLong ? 7_200_000 : 1_800_000)
  let server: SimulatedServer
  const outcomes = new Map<number, Outcome>()

  before(async () => {
    server = await startServer(CHAIN_IDS, arrangeWorld)
  })

  after(() => server.stop())

  it(`keep every invariant: seeds 1 to ${SEEDS.length}`, async () => {
    const failed: string[] = []
    for (const seed of SEEDS) {
      const outcome = await simulate(server, seed)
      outcomes.set(seed, outcome)
      if (outcome.failure !== null)
        failed.push(`npm run test:simulation -- --seeds 1 --from ${seed}: ${outcome.failure}`)
    }
    expect(failed).to.deep.equal([])
  })

  it('are the same for the same seed, and differ for different seeds', async () => {
    expect(await simulate(server, 3)).to.deep.equal(outcomes.get(3))
    expect(outcomes.get(2)?.hash).not.to.equal(outcomes.get(3)?.hash)
  })

  it('are reduced after a failure to the faults that cause it', async () => {
    const outcomeOf = (faults: readonly string[]): Outcome => ({
      ...{ seed: 1, hash: '', happened: 1, simulatedSeconds: 1, faults, turns: { asleep: 0, awake: 0 } },
      failure: faults.includes('c') && faults.includes('f') ? 'it broke' : null,
    })
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const run = (without: ReadonlySet<string>) =>
      Promise.resolve(outcomeOf(all.filter((name) => !without.has(name))))
    const { outcome } = await shrink(outcomeOf(all), run)
    expect(outcome.faults).to.deep.equal(['c', 'f'])
  })
})
