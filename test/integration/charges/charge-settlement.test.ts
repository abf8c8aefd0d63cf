import { expect } from 'chai'
import { applyChargeFact, runChargeTurns } from '../../../indexer/charges/charge-actor.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { buildCharge, CHAINS, MERCHANT, TREASURY } from '../../support/factories.ts'
import { type ChargeFixture, createChargeFixture, secondsFromNow } from './charge-fixture.ts'

const PARTNER = `0x${'b2'.repeat(20)}` as Address

describe('charge turns that settle', () => {
  let stage: ChargeFixture

  beforeEach(async () => {
    stage = await createChargeFixture()
  })

  afterEach(() => stage.close())

  it('append distribution.claimed once a distribution is detected, and settle once it is at depth', async () => {
    const charge = await addPaidCharge()
    const txHash = await stage.splitEvent(charge, { block: 99 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'pending', payouts: ['processing'] })
    expect((await stage.eventsOf(charge)).at(-1)).to.equal('distribution.claimed')

    await stage.moveHead({ number: 101 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
    expect((await stage.eventsOf(charge)).at(-1)).to.equal('charge.settled')
    expect(await stage.payoutsOf(charge)).to.have.nested.property('[0].txHash', txHash)
    expect((await stage.chargeOf(charge)).settledAt).to.be.instanceOf(Date)
  })

  it('append distribution.claimed even if the distribution is already at depth when it is detected', async () => {
    const charge = await addPaidCharge()
    await stage.splitEvent(charge, { block: 97 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
    expect((await stage.eventsOf(charge)).slice(-2)).to.have.members([
      'distribution.claimed',
      'charge.settled',
    ])
  })

  it('do not treat a distribution of testnet money as the payout of a live charge', async () => {
    const charge = await addPaidCharge()
    await stage.splitEvent(charge, { chain: 'testnet', block: 90 })
    await stage.splitEvent(charge, { chain: 'testnet', block: 90, kind: 'held', account: MERCHANT })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'pending', payouts: ['pending'] })

    await stage.splitEvent(charge, { block: 97 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
  })

  it('open the payout of a live charge on the paid pair, even after a distribution of testnet money', async () => {
    const charge = await stage.addCharge()
    await stage.splitEvent(charge, { chain: 'testnet', block: 90 })
    await stage.takeTurns()
    await stage.pay(charge)
    await stage.takeTurns()
    const [payout] = await stage.sql`select chain_id from payouts where charge_id = ${charge.id}`
    expect(payout).to.deep.equal({ chainId: CHAINS.base.chainId })
  })

  it('offer the payout to the keepers again if its detected distribution is orphaned', async () => {
    const charge = await addPaidCharge()
    const txHash = await stage.splitEvent(charge, { block: 99 })
    await stage.takeTurns()
    await stage.sql`update split_events set inclusion = 'orphaned'`
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'pending', payouts: ['pending'] })
    expect((await stage.eventsOf(charge)).slice(-2)).to.deep.equal([
      'distribution.claimed',
      'distribution.available',
    ])

    await stage.splitEvent(charge, { txHash, block: 97 })
    await stage.takeTurns()
    expect(await settlementOf(charge), 'included again').to.deep.equal({
      ...{ settlement: 'completed', payouts: ['completed'] },
    })
  })

  it('settle only once every paid pair is fully distributed', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge, { dollars: 4 })
    await stage.pay(charge, { dollars: 6, chain: 'bnb' })
    await stage.splitEvent(charge, { dollars: 4, block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({
      settlement: 'pending',
      payouts: ['completed', 'pending'],
    })
    await stage.splitEvent(charge, { dollars: 6, chain: 'bnb', block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({
      settlement: 'completed',
      payouts: ['completed', 'completed'],
    })
  })

  it('settle in the same turn as the credit if a keeper has already distributed the payment', async () => {
    const charge = await stage.addCharge()
    await stage.splitEvent(charge, { block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: null, payouts: [] })
    await stage.pay(charge)
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
    expect(await stage.eventsOf(charge)).to.deep.equal(['charge.confirmed', 'charge.settled'])
  })

  it('offer the remaining amount if a keeper distributed the first part before the charge was confirmed', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge, { dollars: 6 })
    await stage.splitEvent(charge, { dollars: 6, block: 90 })
    await stage.takeTurns()
    await stage.pay(charge, { dollars: 4 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'pending', payouts: ['pending'] })
    expect((await stage.eventsOf(charge)).at(-1)).to.equal('distribution.available')
  })

  it('offer the remaining amount if a distribution at depth is below the credited amount', async () => {
    const charge = await addPaidCharge()
    await stage.splitEvent(charge, { block: 99 })
    await stage.takeTurns()
    await stage.pay(charge, { dollars: 5, block: 99 })
    await stage.moveHead({ number: 101 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['pending'] })
    await stage.splitEvent(charge, { dollars: 5, block: 99 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
  })

  it('keep the settlement completed if a late payment reopens the payout, and append charge.settled once', async () => {
    const charge = await addPaidCharge()
    await stage.splitEvent(charge, { block: 90 })
    await stage.takeTurns()
    const { settledAt } = await stage.chargeOf(charge)
    await stage.pay(charge, { dollars: 3 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['pending'] })
    await stage.splitEvent(charge, { dollars: 3, block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
    expect((await stage.chargeOf(charge)).settledAt).to.deep.equal(settledAt)
    expect((await stage.eventsOf(charge)).filter((type) => type === 'charge.settled')).to.have.length(1)
  })

  it('settle once the payments that confirmed the charge are paid out, despite later dust on any pair', async () => {
    const charge = await addPaidCharge()
    for (let times = 1; times <= 4; times += 1) {
      await stage.pay(charge, { dollars: 0.01 })
      await stage.pay(charge, { dollars: 0.01, chain: 'bnb' })
      await stage.takeTurns()
    }
    await stage.splitEvent(charge, { block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({
      ...{ settlement: 'completed', payouts: ['pending', 'pending'] },
    })
    expect(await stage.eventsOf(charge)).to.include('charge.settled')
  })

  it('do not settle until the payments on every pair that confirmed the charge are fully paid out', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge, { dollars: 9.99 })
    await stage.pay(charge, { dollars: 0.01, chain: 'bnb' })
    await stage.splitEvent(charge, { dollars: 9.99, block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.include({ settlement: 'pending' })
    await stage.splitEvent(charge, { dollars: 0.01, chain: 'bnb', block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.include({ settlement: 'completed' })
  })

  it('start the settlement of an expired charge only once its late payments on one pair reach the minimum payout', async () => {
    const charge = await stage.addCharge({ status: 'expired', expiresAt: secondsFromNow(-600) })
    await stage.pay(charge, { dollars: 0.6 })
    await stage.pay(charge, { dollars: 0.99, chain: 'bnb' })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: null, payouts: ['pending', 'pending'] })
    expect(await stage.eventsOf(charge)).to.not.include('charge.settled')

    await stage.pay(charge, { dollars: 0.4 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.include({ settlement: 'pending' })
    await stage.splitEvent(charge, { dollars: 1, block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({
      ...{ settlement: 'completed', payouts: ['completed', 'pending'] },
    })
  })

  it('keep the settlement pending while the merchant’s own share is held, until it is released', async () => {
    const charge = await addPaidCharge()
    await stage.splitEvent(charge, { block: 90 })
    await stage.splitEvent(charge, { kind: 'held', account: MERCHANT, dollars: 9, block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.include({ settlement: 'pending' })
    expect(await stage.eventsOf(charge)).to.not.include('charge.settled')

    await stage.splitEvent(charge, { kind: 'released', account: MERCHANT, dollars: 9, block: 98 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
  })

  it('process a thousand split events per turn, plus the held shares of the last distribution', async () => {
    const charge = await addPaidCharge()
    await stage.splitEvent(charge, { block: 90, dollars: 0 })
    await stage.sql`
      insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic, inclusion,
        block_number, block_hash, block_timestamp, log_index)
      select charge_id, kind, chain_id, token_address, 'again ' || n, ordinal, account, amount_atomic, inclusion,
        block_number, block_hash, block_timestamp, log_index
      from split_events, generate_series(1, 998) n`
    await stage.agree()
    const txHash = await stage.splitEvent(charge, { block: 97 })
    await stage.splitEvent(charge, { block: 97, dollars: 9, kind: 'held', account: MERCHANT, txHash })
    await stage.splitEvent(charge, { block: 90, dollars: 0 })
    await runChargeTurns(stage.deps)
    expect(await heard()).to.equal(1001)
    expect(await settlementOf(charge)).to.deep.include({ settlement: 'pending' })
    await stage.takeTurns()
    expect(await heard()).to.equal(1002)
    expect(await settlementOf(charge)).to.deep.include({ settlement: 'pending' })
  })

  it('do not wait for another recipient’s held share', async () => {
    const charge = await addPaidCharge()
    await stage.splitEvent(charge, { block: 90 })
    await stage.splitEvent(charge, { kind: 'held', account: TREASURY, dollars: 1, block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
  })

  it('do not treat the first recipient as the merchant if the merchant has no share', async () => {
    await stage.sql`update organizations set fee_percent = 0`
    await stage.sql`
      insert into recipients (id, organization_id, environment, address, family)
      values ('rc_one', 'org_one', 'live', ${PARTNER}, 'evm')`
    const given = { recipients: [PARTNER], allocations: [1_000_000], distributionIncentive: 0 }
    const charge = await addPaidCharge({
      feePercent: '0',
      splitTerms: { ...buildCharge().splitTerms, ...given },
      splitRecipients: [{ address: PARTNER, percentText: '100' }],
    })
    await stage.splitEvent(charge, { block: 90 })
    await stage.splitEvent(charge, { kind: 'held', account: PARTNER, dollars: 9, block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
  })

  it('fail the settlement after the last attempt, and complete it if anyone distributes later', async () => {
    const charge = await addPaidCharge()
    await stage.sql`update payouts set status = 'failed'`
    await inTransaction(stage.daemon, (db) =>
      applyChargeFact(stage.deps, db, { chargeId: charge.id, fact: { type: 'payouts.failed' } }),
    )
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'failed', payouts: ['failed'] })
    await stage.splitEvent(charge, { block: 90 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: 'completed', payouts: ['completed'] })
    expect((await stage.eventsOf(charge)).filter((type) => type.includes('settle'))).to.deep.equal([
      'charge.settlement_failed',
      'charge.settled',
    ])
  })

  it('open no payout while a charge is partially paid and has not expired', async () => {
    const charge = await stage.addCharge({ expiresAt: secondsFromNow(600) })
    await stage.pay(charge, { dollars: 9 })
    await stage.takeTurns()
    expect(await settlementOf(charge)).to.deep.equal({ settlement: null, payouts: [] })
  })

  it('count a distribution once, no matter how often the feed shows it', async () => {
    const charge = await addPaidCharge()
    const txHash = await stage.splitEvent(charge, { dollars: 6, block: 90 })
    await stage.takeTurns()
    await stage.splitEvent(charge, { dollars: 6, block: 91, txHash })
    await stage.takeTurns()
    const [ledger] = await stage.sql`select distributed_atomic from charge_ledgers`
    expect(ledger).to.include({ distributedAtomic: 6_000_000n })
  })

  async function addPaidCharge(columns: Partial<ChargeRow> = {}): Promise<ChargeRow> {
    const charge = await stage.addCharge(columns)
    await stage.pay(charge)
    await stage.takeTurns()
    return charge
  }

  async function heard(): Promise<number> {
    const rows = await stage.sql`select from split_events where applied_at is not null`
    return rows.length
  }

  async function settlementOf(charge: ChargeRow) {
    const { settlementStatus } = await stage.chargeOf(charge)
    const payouts = await stage.payoutsOf(charge)
    return { settlement: settlementStatus, payouts: payouts.map(({ status }) => status) }
  }
})
