import { expect } from 'chai'
import { type FaultyDevnet, startFaultyDevnet } from '../support/faulty-devnet.ts'
import { createMarket, type Market } from '../support/market.ts'
import { auditMoney } from '../support/money-audit.ts'
import { chooseFault, killAndStart } from '../support/process-kills.ts'
import type { RpcRule } from '../support/rpc-proxy.ts'
import { createRandom, type Random } from '../support/seeded-random.ts'
import { countSleeps, untilAsleep } from '../support/sleeping-networks.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Seed of the run. The title contains it, so that a failure can be repeated. */
const SEED = 20_261_120
const CHARGES = process.env['TEST_LONG'] ? 300 : 40 // oxlint-disable-line no-process-env -- the duration is a setting of the run
/** Number of charges that are created and paid between two faults. */
const CHARGES_PER_ROUND = 10
/** The round before which all networks sleep. Later, a share held by an issuer's restriction keeps base awake. */
const WAKING_ROUND = 2

describe(`the balances of ${CHARGES} charges under faults, seed ${SEED}`, function () {
  this.timeout(20 * 60_000)
  let stage: FaultyDevnet
  let market: Market
  let directory: string
  const random = createRandom(SEED)

  before(async () => {
    directory = await temporaryDirectory('books')
    stage = await startFaultyDevnet(directory)
    market = await createMarket(stage.devnet, random)
  })

  after(() => stage?.stop())

  it('match to the atomic unit despite every fault', async () => {
    for (const proxy of stage.proxies) proxy.rule(failures(random))
    for (let made = 0; made < CHARGES; made += CHARGES_PER_ROUND) {
      if (made === WAKING_ROUND * CHARGES_PER_ROUND) await untilAsleep(stage.devnet, ['base', 'bnb'])
      await market.openCharges(CHARGES_PER_ROUND)
      await market.payOnTime()
      await goWrong(made / CHARGES_PER_ROUND)
    }
    await untilAsleep(stage.devnet, ['bnb'])
    await market.payLate()
    await market.wakeNetworks()
    for (const proxy of stage.proxies) proxy.rule(() => 'pass')
    await market.untilQuiet()

    const books = await auditMoney(stage.devnet, market)
    expect(Object.keys(books.paidIn), 'the pairs of the payments').to.have.length(4)
    expect(Object.values(books.statuses)).to.include.members(['confirmed', 'underpaid', 'expired'])
    expect(books.accounts, 'the accounts that hold the paid amounts').to.deep.equal(books.paidIn)
    expect(books.paidOut, 'the amounts that the accounts received').to.deep.equal(books.promised)
    expect(books.credited, 'the received amounts of the charges').to.deep.equal(books.received)
    expect(books.statuses).to.deep.equal(books.expectedStatuses)
    expect(books.unsettled).to.deep.equal([])
    expect(books.payoutsSentTwice).to.deep.equal([])
    const { asleep, awake } = await countSleeps(directory)
    expect(asleep, 'sleeps of the networks').to.be.at.least(3)
    expect(awake, 'wakes of the networks').to.be.at.least(3)
  })

  /**
   * Causes one fault per round, in rotation: the daemon is killed, base is reorganized, a keeper distributes, or an
   * issuer blocks an account. Some distributions name the charge itself as distributor; their incentive must not be
   * credited.
   */
  async function goWrong(round: number): Promise<void> {
    const faults = [
      () => killAndStart(stage.devnet.indexer),
      () => market.reorganize(),
      async () => {
        await market.distributeAsKeeper()
        await market.distributeInOwnName()
      },
      () => market.restrictPartner(),
    ]
    await chooseFault(faults, round)()
  }
})

/**
 * Returns a rule for a node's proxy: 25 % of the broadcasts lose their response, and 15 % of the broadcasts and 3 % of
 * the other requests fail.
 */
function failures(random: Random): RpcRule {
  return (method) => {
    const chance = random.fraction()
    if (method === 'eth_sendRawTransaction') {
      return chance < 0.25 ? 'lose-answer' : chance < 0.4 ? 'error' : 'pass'
    }
    return chance < 0.03 ? 'error' : 'pass'
  }
}
