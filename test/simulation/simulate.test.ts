import { expect } from 'chai'
import { type SimulatedServer, startServer } from './engine/database.ts'
import { NO_FAULTS } from './engine/faults.ts'
import type { Plan, PlannedCharge } from './plan-types.ts'
import { shrink } from './shrink.ts'
import { type Outcome, simulate } from './simulate.ts'
import { arrangeWorld, CHAIN_IDS } from './world.ts'

const isLong = process.env['TEST_LONG'] === '1'

/** A small sample of the thousands of seeds of a long `npm run test:simulation`. */
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

  it('report each row that is still unfinished after the time limit, and its reason', async () => {
    const { failure } = await simulate(server, 1, { change: withoutDaemons })
    expect(failure).to.match(/daemon-0 is dead\n/)
    expect(failure).to.match(
      /charge ch_\w+ is confirmed, its settlement is pending, base USDC has distributed 0 of/,
    )
    expect(failure).to.match(/payout 1 of ch_\w+ on 8453 is pending, .*held since .*, last error: \w+/)
    expect(failure).to.match(
      /chain 8453 is at \d+, node-0 well at \d+.*Ponder reads node-0 at \d+, the feed .* is at \d+/,
    )
  })

  it('fail if a failover loses a charge whose creation returned 201', async () => {
    const { failure } = await simulate(server, 1, { failover: 'asynchronous' })
    expect(failure).to.match(/ch_\w+ was answered with 201, but is gone/)
  })

  it('keep every invariant after a failover that loses no commit', async () => {
    const { failure } = await simulate(server, 2, { failover: 'synchronous' })
    expect(failure).to.equal(null)
  })

  it('are reduced, if they fail, to the faults that cause the failure', async () => {
    const outcomeOf = (faults: readonly string[]): Outcome => ({
      ...{
        seed: 1,
        hash: '',
        happened: 1,
        simulatedSeconds: 1,
        restSeconds: 1,
        faults,
        turns: { asleep: 0, awake: 0 },
      },
      failure: faults.includes('c') && faults.includes('f') ? 'it broke' : null,
    })
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const run = (without: ReadonlySet<string>) =>
      Promise.resolve(outcomeOf(all.filter((name) => !without.has(name))))
    const { outcome } = await shrink(outcomeOf(all), run)
    expect(outcome.faults).to.deep.equal(['c', 'f'])
  })
})

/** Changes a plan: an issuer's pause blocks a payout, and the only daemon dies before the payout is retried. */
function withoutDaemons(plan: Plan): Plan {
  const chainId = 8453
  const payment = { atMs: 5_000, share: 1, chainId, tokenIndex: 0, isDivided: false }
  const charge: PlannedCharge = {
    ...{
      atMs: 2_000,
      organizationIndex: 0,
      amountMicro: 10_000_000n,
      expiresInMs: 40_000,
      endsOnSecond: false,
    },
    ...{ hasPartner: false, payments: [payment], checks: [], keeperAtMs: null },
  }
  return {
    ...plan,
    ...{ daemons: 1, charges: [charge], orders: [], rates: NO_FAULTS, sleep: null },
    troubles: [{ kind: 'pause', chainId, atMs: 10_000, forMs: 60_000 }],
    losses: [{ kind: 'daemon', daemonIndex: 0 }],
  }
}
