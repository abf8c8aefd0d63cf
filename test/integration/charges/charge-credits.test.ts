import { expect } from 'chai'
import { type ChargeActorDeps, runChargeTurns } from '../../../indexer/charges/charge-actor.ts'
import { createTurnFailureTracker } from '../../../indexer/charges/turn-failure-tracker.ts'
import { markMissing } from '../../../shared/db/chain-facts/daemon/inclusion.ts'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import { micro, microToAtto } from '../../../shared/domain/money.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { type ChainName, units } from '../../support/factories.ts'
import {
  type ChargeFixture,
  createChargeFixture,
  nowSeconds,
  recordPayment,
  runAllTurns,
  secondsFromNow,
} from './charge-fixture.ts'

const TEN_DOLLARS = microToAtto(micro(10_000_000n))

/** On a busy machine, a turn can time out waiting for another daemon's lock. The daemon's loop repeats such turns. */
function repeatAfterLockTimeout(error: unknown): 'more' {
  if (errorCode(error) !== '55P03') throw error
  return 'more'
}

describe('charge turns that credit', () => {
  let stage: ChargeFixture

  beforeEach(async () => {
    stage = await createChargeFixture()
  })

  afterEach(() => stage.close())

  it('credit a transfer at its confirmation depth, and not one block sooner', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge, { block: 99 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge), 'two blocks deep').to.include({
      status: 'pending',
      receivedAtto: null,
    })
    expect(await stage.eventsOf(charge)).to.deep.equal([])

    await stage.moveHead({ number: 101 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge), 'three blocks deep').to.include({
      status: 'confirmed',
      receivedAtto: TEN_DOLLARS,
    })
    expect(await stage.eventsOf(charge)).to.deep.equal(['charge.confirmed', 'distribution.available'])
    expect(await stage.creditsOf(charge)).to.deep.equal([
      { valueAtomic: units(10), onTime: true, causedTransition: true },
    ])
  })

  const NOT_OURS: readonly { title: string; payment: { chain?: ChainName; token?: 'USDT' } }[] = [
    { title: 'a payment in a token that the charge does not accept', payment: { token: 'USDT' } },
    { title: 'a payment in testnet money on the same network', payment: { chain: 'testnet' } },
  ]
  for (const { title, payment } of NOT_OURS) {
    it(`record ${title} and credit nothing`, async () => {
      const charge = await stage.addCharge()
      await stage.pay(charge, payment)
      expect(await runChargeTurns(stage.deps)).to.equal('idle')
      expect(await stage.chargeOf(charge)).to.include({ status: 'pending', receivedAtto: null })
      const [{ count } = { count: 0 }] = await stage.sql<{ count: number }[]>`select count(*) from transfers`
      expect(count).to.equal(1)
    })
  }

  it('add up payments on pairs with 6 and with 18 decimals', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge, { dollars: 4 })
    await stage.takeTurns()
    await stage.pay(charge, { dollars: 7, chain: 'bnb' })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.deep.include({
      status: 'confirmed',
      receivedAtto: microToAtto(micro(11_000_000n)),
      isOverpaid: true,
      paidWith: ['USDC/base', 'USDC/bnb'],
    })
    expect((await stage.payoutsOf(charge)).map(({ network }) => network)).to.deep.equal(['base', 'bnb'])
  })

  it('credit 500 charges paid in one block, each once', async () => {
    const charges = await stage.addCharges(500)
    await inTransaction(stage.daemon, async (db) => {
      for (const charge of charges) await recordPayment(db, charge, {})
    })
    await stage.takeTurns()
    expect(await totals(stage.sql)).to.deep.equal({ charges: 500, confirmed: 500, credits: 500, told: 500 })
  }).timeout(240_000)

  it('credit ten thousand transfers of a cent each, at most 5,000 per turn', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge, { dollars: 0.01 })
    await stage.sql`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number, block_hash, block_timestamp, log_index)
      select charge_id, network, token, source, chain_id, token_address, tx_hash, n, sender, value_atomic, amount_atto,
        accepted, inclusion, block_number, block_hash, block_timestamp, n
      from transfers, generate_series(1, 9999) n`
    await stage.agree()
    // In production, autovacuum collects the statistics. Without them, the plan of a turn's query compares every row
    // with every other row.
    await stage.sql`analyze transfers`
    await runChargeTurns(stage.deps)
    expect(await stage.creditsOf(charge)).to.have.length(5000)
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ receivedAtto: TEN_DOLLARS * 10n, status: 'confirmed' })
    expect(await stage.creditsOf(charge)).to.have.length(10_000)
  }).timeout(240_000)

  it('credit transfers after the deadline, but keep the charge expired', async () => {
    const charge = await stage.addCharge({ status: 'expired', expiresAt: secondsFromNow(-600) })
    await stage.pay(charge, { dollars: 12, timestamp: nowSeconds() - 60 })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({
      ...{ status: 'expired', settlementStatus: 'pending', isOverpaid: true },
    })
    expect(await stage.eventsOf(charge)).to.deep.equal(['charge.overpaid', 'distribution.available'])
    expect(await stage.creditsOf(charge)).to.deep.equal([
      { valueAtomic: units(12), onTime: false, causedTransition: false },
    ])
  })

  it('credit each transfer once if two daemons run turns while the feed records rows', async () => {
    const other = stage.connectDaemon()
    const daemons = [stage.deps, { ...stage.deps, sql: other }]
    for (let round = 0; round < 12; round += 1) {
      const feeding = { isDone: false }
      const feed = async () => {
        const charges = await stage.addCharges(25)
        for (const charge of charges) await stage.pay(charge, { dollars: 6 })
        for (const charge of charges) await stage.pay(charge, { dollars: 6, chain: 'bnb' })
        feeding.isDone = true
      }
      const turns = async (deps: ChargeActorDeps) => {
        for (let outcome = 'more'; !feeding.isDone || outcome !== 'idle'; )
          outcome = await runChargeTurns(deps).catch(repeatAfterLockTimeout)
      }
      await Promise.all([feed(), ...daemons.map(turns)])
    }
    await other.end()
    // A charge rests after such a timeout, possibly beyond the last round.
    await runAllTurns({ ...stage.deps, failedTurns: createTurnFailureTracker() })
    expect(await totals(stage.sql)).to.deep.equal({ charges: 300, confirmed: 300, credits: 600, told: 300 })
    const [sums] = await stage.sql`
      select bool_and(c.received_atto = (select sum(amount_atto) from transfers t where t.charge_id = c.id)) as is_right,
        (select count(*) from payouts) as payouts,
        (select count(*) from events where type = 'charge.overpaid') as overpaid
      from charges c`
    expect(sums).to.deep.include({ isRight: true, payouts: 600, overpaid: 300 })
  }).timeout(240_000)

  describe('when the chain feed changes a transfer during the turn', () => {
    it('do not credit a transfer that the feed marks as missing after the turn has read it', async () => {
      const charge = await stage.addCharge()
      const txHash = await stage.pay(charge)
      const [transfer] = await stage.sql<[{ id: number }]>`select id from transfers`
      await overtake((db) => markMissing(db, 'transfers', [transfer.id]))
      expect(await stage.chargeOf(charge)).to.include({
        status: 'pending',
        receivedAtto: null,
        quarantinedAt: null,
      })
      expect(await stage.eventsOf(charge)).to.deep.equal([])

      await stage.pay(charge, { txHash })
      await stage.takeTurns()
      expect(await stage.eventsOf(charge)).to.deep.equal(['charge.confirmed', 'distribution.available'])
    })

    it('wait again for the confirmation depth of a transfer that moved to another block, and credit its new amount', async () => {
      const charge = await stage.addCharge()
      const txHash = await stage.pay(charge)
      await overtake((db) => recordPayment(db, charge, { txHash, block: 100, dollars: 3 }))
      expect(await stage.chargeOf(charge)).to.include({
        status: 'pending',
        receivedAtto: null,
        quarantinedAt: null,
      })

      await stage.moveHead({ number: 102 })
      await stage.takeTurns()
      expect(await stage.creditsOf(charge)).to.deep.equal([
        { valueAtomic: units(3), onTime: true, causedTransition: true },
      ])
      expect(await stage.chargeOf(charge)).to.include({ status: 'partially_paid' })
    })

    /** Lets the feed write before the turn starts, and commit once the turn has read the row and waits for its lock. */
    async function overtake(
      write: (db: Parameters<Parameters<typeof inTransaction>[1]>[0]) => Promise<unknown>,
    ) {
      const feed = stage.connectDaemon()
      let turn: Promise<unknown> = Promise.resolve()
      await inTransaction(feed, async (db) => {
        await write(db)
        turn = runAllTurns(stage.deps)
        await waitFor(() => isSomebodyWaiting(stage.sql), {
          what: 'the turn to wait for the feed',
          timeoutMs: 60_000,
        })
      })
      await turn
      await feed.end()
      expect(stage.lines.map(({ msg }) => msg)).to.include('Batch failed; retrying its charges one by one')
    }
  })
})

async function isSomebodyWaiting(sql: Sql): Promise<boolean> {
  const rows = await sql`select from pg_locks where not granted`
  return rows.length > 0
}

async function totals(sql: Sql) {
  const [row] = await sql`
    select (select count(*) from charges) as charges,
      (select count(*) from charges where status = 'confirmed') as confirmed,
      (select count(*) from transfers where credited_at is not null) as credits,
      (select count(*) from events where type = 'charge.confirmed') as told`
  return { ...row }
}
