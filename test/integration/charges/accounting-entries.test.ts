import { expect } from 'chai'
import { applySandboxTrigger, type ChargeActorDeps } from '../../../indexer/charges/charge-actor.ts'
import { runTurns } from '../../../indexer/charges/charge-turn.ts'
import { compareBooks } from '../../../indexer/charges/rebuild-entries.ts'
import { strikeCharge } from '../../../indexer/charges/strike-charge.ts'
import { listEntries, type StoredEntry } from '../../../shared/db/accounting/entries-read.ts'
import { recordChainRows } from '../../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import { errorCode } from '../../../shared/db/connect.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { atomic, atto, formatAtto } from '../../../shared/domain/money.ts'
import { NOBODY, sumAccounts } from '../../support/accounting-facts.ts'
import {
  CHAINS,
  getTokenAddress,
  KEEPER,
  MERCHANT,
  randomHex,
  TREASURY,
  units,
} from '../../support/factories.ts'
import { type ChargeFixture, createChargeFixture, nowSeconds } from './charge-fixture.ts'

describe('accounting entries that the daemon writes', () => {
  let stage: ChargeFixture

  beforeEach(async () => {
    stage = await createChargeFixture()
  })

  afterEach(async () => {
    const compared = await compareBooks(stage.sql, { isRebuild: false })
    const { missing, wrong, wrongSums } = compared
    expect({ missing, wrong, wrongSums }).to.deep.equal({ missing: [], wrong: [], wrongSums: [] })
    await stage.close()
  })

  it('record the payment, a sale of the charge’s amount, and the payout with the shares that the contract paid', async () => {
    const charge = await stage.addCharge()
    const txHash = await stage.pay(charge, { dollars: 11 })
    await stage.takeTurns()
    expect(await legsOf(charge)).to.deep.equal([
      ['payment', 'clearing 11', 'liability -11'],
      ['sale', 'liability 10', 'sales -10'],
    ])
    await stage.splitEvent(charge, { dollars: 11, block: 97 })
    await stage.takeTurns()
    const entries = await entriesOf(charge)
    expect(entries.map(show).at(-1)).to.deep.equal([
      ...['payout', 'clearing -11', 'incentive 0.011', 'wallet 10.890001', 'fee 0.098999'],
    ])
    expect(entries[0]).to.include({ txHash, blockNumber: 90, chainId: 8453, decimals: 6, corrects: null })
    expect(entries[0]?.postedAt.getTime(), 'the time of the block').to.be.below(Date.now() - 50_000)
    expect(entries[0]?.countedAt.getTime()).to.be.above(Date.now() - 50_000)
  })

  it('do not record an incentive if the distribution named no distributor', async () => {
    const charge = await addPaid()
    await stage.splitEvent(charge, { block: 97, account: NOBODY })
    await stage.takeTurns()
    expect(show((await entriesOf(charge)).at(-1))).to.deep.equal([
      ...['payout', 'clearing -10', 'wallet 9.90991', 'fee 0.09009'],
    ])
  })

  it('book a held share as moved out of the wallet until it is released', async () => {
    const charge = await addPaid()
    const txHash = await stage.splitEvent(charge, { block: 97 })
    const held = { block: 97, dollars: 9.9, account: MERCHANT }
    await stage.splitEvent(charge, { ...held, kind: 'held', txHash })
    await stage.takeTurns()
    expect(sumAccounts(await entriesOf(charge), 'held')).to.equal(99n * 10n ** 17n)
    await stage.splitEvent(charge, { ...held, kind: 'released' })
    await stage.takeTurns()
    const entries = await entriesOf(charge)
    expect(entries.map(show).slice(-2)).to.deep.equal([
      ['hold', 'held 9.9', 'wallet -9.9'],
      ['release', 'held -9.9', 'wallet 9.9'],
    ])
    expect(sumAccounts(entries, 'clearing', 'held')).to.equal(0n)
  })

  it('book late money of an expired charge as owed to the payer, and book no sale', async () => {
    const charge = await stage.addCharge({ expiresAt: new Date(Date.now() - 600_000) })
    await stage.takeTurns()
    await stage.pay(charge)
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    expect(await legsOf(charge)).to.deep.equal([['payment', 'clearing 10', 'liability -10']])
  })

  it('book the sale of an escrow charge only when its amount is released', async () => {
    const charge = await stage.addCharge({ escrowReleaser: KEEPER })
    await stage.pay(charge)
    await stage.takeTurns()
    expect(await legsOf(charge)).to.deep.equal([['payment', 'escrow 10', 'liability -10']])
    await moveOut(charge, charge.splitAddress)
    expect(await legsOf(charge)).to.deep.equal([
      ['payment', 'escrow 10', 'liability -10'],
      ['escrow_release', 'escrow -10', 'clearing 10'],
      ['sale', 'liability 10', 'sales -10'],
    ])
  })

  it('do not book a sale of an escrow charge while only a part of the amount has left the Safe', async () => {
    const charge = await stage.addCharge({ escrowReleaser: KEEPER })
    await stage.pay(charge)
    await stage.takeTurns()
    await moveOut(charge, charge.splitAddress, 4)
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: null })
    expect(await legsOf(charge)).to.deep.equal([
      ['payment', 'escrow 10', 'liability -10'],
      ['escrow_release', 'escrow -4', 'clearing 4'],
    ])
  })

  it('book a refunded escrow as returned to the payer, and never as income', async () => {
    const charge = await stage.addCharge({ escrowReleaser: KEEPER })
    await stage.pay(charge)
    await stage.takeTurns()
    await moveOut(charge, TREASURY)
    expect((await legsOf(charge)).slice(1)).to.deep.equal([['escrow_refund', 'escrow -10', 'liability 10']])
  })

  it('book money sent directly to the split of an escrow as uncredited, neither as a sale nor as taken from the Safe', async () => {
    const charge = await stage.addCharge({ escrowReleaser: KEEPER })
    await stage.pay(charge)
    await stage.splitEvent(charge, { dollars: 3, block: 97, account: NOBODY })
    await stage.takeTurns()
    expect((await legsOf(charge)).map((legs) => legs.slice(0, 2))).to.deep.equal([
      ['payment', 'escrow 10'],
      ['payout', 'uncredited -3'],
    ])
    await moveOut(charge, charge.splitAddress)
    await stage.splitEvent(charge, { dollars: 10, block: 97, account: NOBODY })
    await stage.takeTurns()
    const entries = await entriesOf(charge)
    expect(sumAccounts(entries, 'sales')).to.equal(-(10n ** 19n))
    expect(sumAccounts(entries, 'clearing', 'escrow', 'liability')).to.equal(0n)
    expect(sumAccounts(entries, 'uncredited')).to.equal(-3n * 10n ** 18n)
  })

  it('book the release of an escrow before the payout of the same block, regardless of the order of their rows', async () => {
    const charge = await stage.addCharge({ escrowReleaser: KEEPER })
    await stage.pay(charge)
    await stage.takeTurns()
    await stage.splitEvent(charge, { dollars: 10, block: 95, account: NOBODY })
    await recordMovement(charge, charge.splitAddress)
    await stage.sql`update split_events set block_timestamp = (select block_timestamp from escrow_transfers)`
    await stage.takeTurns()
    const accounts = (await legsOf(charge)).flatMap((legs) => legs.slice(1)).map((leg) => leg.split(' ')[0])
    expect(accounts).to.include('clearing').and.not.include('uncredited')
  })

  it('offset an uncredited amount when its payment is found later', async () => {
    const charge = await stage.addCharge()
    await stage.splitEvent(charge, { block: 97, account: NOBODY })
    await stage.takeTurns()
    await stage.pay(charge, { dollars: 12 })
    await stage.takeTurns()
    expect((await legsOf(charge)).map((legs) => legs.slice(0, 3))).to.deep.equal([
      ['payout', 'uncredited -10', 'wallet 9.90991'],
      ['payment', 'clearing 2', 'uncredited 10'],
      ['sale', 'liability 10', 'sales -10'],
    ])
  })

  it('have a different time for each turn, even if the clock stands still or goes back', async () => {
    const charge = await stage.addCharge({ acceptedPayments: ['USDC/base', 'USDC/bnb'] })
    const now = Date.now()
    // If the payments are counted in this order, the sale belongs to bnb. If they were counted together, it would
    // belong to base, which was paid earlier.
    await stage.pay(charge, { chain: 'bnb', timestamp: nowSeconds() - 60 })
    await stage.takeTurns({ now: () => new Date(now) })
    await stage.pay(charge, { timestamp: nowSeconds() - 90 })
    await stage.takeTurns({ now: () => new Date(now) })
    await strike(charge, { now: () => new Date(now - 5_000) })
    await stage.pay(charge, { timestamp: nowSeconds() - 80 })
    await stage.takeTurns({ now: () => new Date(now - 5_000) })
    const entries = await listEntries(stage.sql, { chargeIds: [charge.id] })
    const times = [...new Set(entries.map(({ countedAt }) => countedAt.getTime() - now))]
    expect(times.toSorted((a, b) => a - b)).to.deep.equal([0, 1, 2, 3])
  })

  it('date a sale by the payment that completed it, not by an excess or a payout counted in the same turn', async () => {
    const charge = await stage.addCharge()
    for (const age of [90, 80, 70])
      await stage.pay(charge, { dollars: 5, timestamp: nowSeconds() - age, block: 95 - age / 10 })
    await stage.splitEvent(charge, { dollars: 15, block: 97 })
    await stage.takeTurns()
    const entries = await entriesOf(charge)
    const [first, second] = entries.filter(({ category }) => category === 'payment')
    const sale = entries.find(({ category }) => category === 'sale')
    expect(sale?.postedAt).to.deep.equal(second?.postedAt).and.not.deep.equal(first?.postedAt)
  })

  it('date the sale of an escrow by the transfer into the split', async () => {
    const charge = await stage.addCharge({ escrowReleaser: KEEPER })
    await stage.pay(charge)
    await stage.takeTurns()
    await moveOut(charge, charge.splitAddress)
    const [payment, release, sale] = await entriesOf(charge)
    expect(sale?.postedAt).to.deep.equal(release?.postedAt).and.not.deep.equal(payment?.postedAt)
  })

  it('book fractions of the token’s smallest unit as rounding', async () => {
    const charge = await stage.addCharge()
    for (const dust of ['0.0000006', '0.0000007']) {
      const txHash = await stage.pay(charge, { dollars: 5 })
      await stage.sql`update transfers set amount_atto = amount_atto + ${atto6(dust)} where tx_hash = ${txHash}`
    }
    await stage.takeTurns()
    const entries = await entriesOf(charge)
    expect(sumAccounts(entries, 'clearing')).to.equal(10_000_001n * 10n ** 12n)
    expect(sumAccounts(entries, 'rounding')).to.equal(3n * 10n ** 11n)
  })

  it('are not written for an event on a chain of another environment', async () => {
    const charge = await addPaid()
    await stage.splitEvent(charge, { chain: 'testnet', block: 90 })
    await stage.takeTurns()
    expect((await entriesOf(charge)).map(({ category }) => category)).to.deep.equal(['payment', 'sale'])
  })

  it('reverse the entry of a struck row by a second entry that names the first', async () => {
    const charge = await addPaid()
    const [payment] = await entriesOf(charge)
    await strike(charge)
    const [adjustment, resale] = (await entriesOf(charge)).slice(2)
    expect(show(adjustment)).to.deep.equal(['adjustment', 'clearing -10', 'liability 10'])
    expect(adjustment).to.include({ corrects: payment?.entryId })
    expect(show(resale)).to.deep.equal(['adjustment', 'liability -10', 'sales 10'])
    expect(adjustment?.postedAt.getTime(), 'the entries of a closed month stay unchanged').to.be.above(
      Date.now() - 30_000,
    )
  })

  it('move the sale from a struck payment to another payment immediately, with the time of the strike', async () => {
    const charge = await stage.addCharge({ acceptedPayments: ['USDC/base', 'USDC/bnb'] })
    await stage.pay(charge)
    await stage.takeTurns()
    await stage.pay(charge, { chain: 'bnb' })
    await stage.takeTurns()
    await strike(charge)
    const entries = await entriesOf(charge)
    const struck = entries.find(({ txHash, corrects }) => txHash !== null && corrects !== null)
    const [, resale] = entries.filter(({ category }) => category === 'sale')
    expect([resale?.network, ...show(resale)]).to.deep.equal(['bnb', 'sale', 'liability 10', 'sales -10'])
    expect(resale?.postedAt).to.deep.equal(struck?.postedAt)
    expect(sumAccounts(entries, 'sales')).to.equal(-(10n ** 19n))
  })

  it('date a sale by the payments that count, not by a struck payment', async () => {
    const charge = await addPaid()
    await strike(charge)
    const timestamp = nowSeconds() - 600
    await stage.pay(charge, { timestamp, block: 80 })
    await stage.takeTurns()
    const sales = (await entriesOf(charge)).filter(({ category }) => category === 'sale')
    expect(sales.map(({ postedAt }) => postedAt.getTime()).at(-1)).to.equal(timestamp * 1000)
  })

  it('are written without reading the earlier entries, because anyone can send dust to a charge', async () => {
    const charge = await stage.addCharge()
    const dust = Array.from({ length: 50 }, () => ({ dollars: 0.01 }))
    for (const payment of dust) await stage.pay(charge, payment)
    await stage.takeTurns()
    await stage.pay(charge)
    await stage.agree()
    const read = await inTransaction(stage.sql, async (db) => {
      await db`set local enable_seqscan = off`
      await runTurns(stage.deps, db, { chargeIds: [charge.id], facts: [] })
      const [row] = await db<[{ rows: number }]>`
        select idx_tup_fetch::int as rows from pg_stat_xact_user_tables where relname = 'accounting_entries'`
      return row.rows
    })
    expect((await entriesOf(charge)).length).to.equal(dust.length + 2)
    expect(read).to.be.below(10)
  })

  it('count a struck payment again if it is recorded again', async () => {
    const charge = await stage.addCharge()
    const txHash = await stage.pay(charge)
    await stage.takeTurns()
    await strike(charge)
    await stage.pay(charge, { txHash })
    await stage.takeTurns()
    const entries = await entriesOf(charge)
    expect(sumAccounts(entries, 'clearing')).to.equal(10n ** 19n)
    expect(sumAccounts(entries, 'sales')).to.equal(-(10n ** 19n))
  })

  it('have no chain for payments of the sandbox, and book their payout when the charge settles', async () => {
    const charge = await stage.addCharge({ environment: 'test', acceptedPayments: ['USDC/base'] })
    for (const event of ['charge.overpaid', 'charge.settled'] as const) await trigger(charge, event)
    expect(await legsOf(charge)).to.deep.equal([
      ['payment', 'clearing 15', 'liability -15'],
      ['sale', 'liability 10', 'sales -10'],
      ['payout', 'clearing -15', 'wallet 14.864865', 'fee 0.135135'],
    ])
    for (const entry of await entriesOf(charge)) expect(entry).to.include({ chainId: null, txHash: null })
  })

  it('are recreated by a rebuild, byte for byte', async () => {
    const charge = await stage.addCharge({ acceptedPayments: ['USDC/base', 'USDC/bnb'] })
    await stage.pay(charge, { dollars: 4 })
    await stage.takeTurns()
    await stage.pay(charge, { dollars: 8, chain: 'bnb' })
    await stage.takeTurns()
    await stage.splitEvent(charge, { dollars: 8, chain: 'bnb', block: 97 })
    await strike(charge)
    await stage.takeTurns()
    const before = await storedRows()
    await stage.sql`delete from accounting_entries`
    const rebuilt = await compareBooks(stage.sql, { isRebuild: true })
    expect(rebuilt.missing).to.have.length(before.length)
    expect(await storedRows()).to.deep.equal(before)
  })

  it('are written completely by the next turn of a charge that was paid before the service wrote entries', async () => {
    const charge = await addPaid()
    const before = await storedRows()
    await stage.sql`delete from accounting_entries`
    await stage.pay(charge, { dollars: 5 })
    await stage.takeTurns()
    expect(await storedRows()).to.deep.include.members(before)
    expect(sumAccounts(await entriesOf(charge), 'sales')).to.equal(-(10n ** 19n))
    expect(sumAccounts(await entriesOf(charge), 'clearing')).to.equal(15n * 10n ** 18n)
  })

  it('book a sale to the pair that was paid first by block time, even if another pair was counted first', async () => {
    const charge = await stage.addCharge({ acceptedPayments: ['USDC/base', 'USDC/bnb'] })
    await stage.pay(charge, { dollars: 5, chain: 'bnb', timestamp: nowSeconds() - 60 })
    await stage.takeTurns()
    await stage.pay(charge, { dollars: 4, timestamp: nowSeconds() - 90 })
    await stage.takeTurns()
    await stage.pay(charge, { dollars: 6, timestamp: nowSeconds() - 30 })
    await stage.takeTurns()
    const sales = (await entriesOf(charge)).filter(({ category }) => category === 'sale')
    expect(sales.map((sale) => [sale.network, ...show(sale)])).to.deep.equal([
      ['base', 'sale', 'liability 10', 'sales -10'],
    ])
  })

  it('are added by a rebuild, except to a charge that has a wrong entry', async () => {
    const [charge, other] = [await addPaid(), await addPaid()]
    const [payment, sale] = await entriesOf(charge)
    const before = await entriesOf(other)
    await stage.sql`
      update accounting_entries set legs = jsonb_set(jsonb_set(legs, '{0,amount}', '"9999999"'), '{1,amount}', '"-9999999"')
      where entry_id = ${payment?.entryId ?? ''}`
    await stage.sql`delete from accounting_entries where category = 'sale'`
    const { missing, wrong } = await compareBooks(stage.sql, { isRebuild: true })
    expect(wrong).to.deep.equal([payment?.entryId])
    expect(missing).to.include(sale?.entryId).and.to.have.length(2)
    expect((await entriesOf(charge)).map(({ category }) => category)).to.deep.equal(['payment'])
    expect(await entriesOf(other)).to.have.length(before.length)
    await stage.sql`delete from accounting_entries`
    await compareBooks(stage.sql, { isRebuild: true })
  })

  it('are compared with their sums, and a sum that differs is reported', async () => {
    const charge = await addPaid()
    await stage.sql`update accounting_balances set counts = counts || '{"sale": 2}'`
    const { wrong, wrongSums } = await compareBooks(stage.sql, { isRebuild: true })
    expect({ wrong, wrongSums }).to.deep.equal({ wrong: [], wrongSums: [charge.id] })
    await stage.sql`update accounting_entries set network = network`
  })

  it('are compared leg by leg with the ledgers, and a changed leg is reported', async () => {
    const charge = await addPaid()
    await stage.sql`
      update accounting_entries set legs = jsonb_set(jsonb_set(legs, '{0,amount}', '"9999999"'), '{1,amount}', '"-9999999"')
      where category = 'payment'`
    const [payment] = await entriesOf(charge)
    const { wrong } = await compareBooks(stage.sql, { isRebuild: true })
    expect(wrong).to.deep.equal([payment?.entryId])
    await stage.sql`delete from accounting_entries`
    await compareBooks(stage.sql, { isRebuild: true })
  })

  describe('in the database', () => {
    it('can be neither changed nor deleted by the daemon', async () => {
      await addPaid()
      for (const statement of [
        'update accounting_entries set network = network',
        'delete from accounting_entries',
      ])
        expect(await stage.daemon.unsafe(statement).catch(errorCode)).to.equal('42501')
    })

    it('are rejected unless their legs sum to zero', async () => {
      await addPaid()
      const spoilt = stage.sql`update accounting_entries set legs = jsonb_set(legs, '{0,amount}', '"10000001"')`
      expect(await spoilt.catch(errorCode)).to.equal('23514')
    })

    it('are rejected in the live environment if they name no chain', async () => {
      await addPaid()
      const simulated = stage.sql`update accounting_entries set chain_id = null, token_address = null`
      expect(await simulated.catch(errorCode)).to.equal('23514')
    })
  })

  async function addPaid(): Promise<ChargeRow> {
    const charge = await stage.addCharge()
    await stage.pay(charge)
    await stage.takeTurns()
    return charge
  }

  /** Moves an amount out of the Safe in a block at confirmation depth. */
  async function moveOut(charge: ChargeRow, recipient: Address, dollars = 10): Promise<void> {
    await recordMovement(charge, recipient, dollars)
    await stage.takeTurns()
    await stage.sql`update escrow_end_checks set result = 'explained', checked_at = now()`
    await stage.takeTurns()
  }

  async function recordMovement(charge: ChargeRow, recipient: Address, dollars = 10): Promise<void> {
    const movement = {
      ...{ chargeId: charge.id, chainId: CHAINS.base.chainId, ordinal: 0, logIndex: 3, kind: '' },
      ...{
        tokenAddress: getTokenAddress('base'),
        txHash: randomHex(32),
        dustAtto: atto(0n),
        blockNumber: 95,
      },
      ...{ amountAtomic: units(dollars), blockHash: randomHex(32), blockTimestamp: nowSeconds() },
      ...{ party: recipient, isAccepted: true },
      action: recipient === charge.splitAddress ? ('release' as const) : ('refund' as const),
    }
    await recordChainRows(stage.daemon, 'escrow_transfers', { rows: [movement], ponderSchema: 'schema_one' })
  }

  /** Strikes the first recorded transfer of a charge. */
  async function strike(charge: ChargeRow, changed: Partial<ChargeActorDeps> = {}): Promise<void> {
    const [order] = await stage.sql<[{ id: number }]>`
      insert into strike_orders (kind, row_id, charge_id, chain_id, reason)
      select 'transfer', t.id, t.charge_id, t.chain_id, 'invented' from transfers t
      where t.charge_id = ${charge.id} order by t.id limit 1 returning id`
    await inTransaction(stage.daemon, (db) =>
      strikeCharge({ ...stage.deps, ...changed }, db, { id: order.id, chargeId: charge.id }),
    )
  }

  async function trigger(charge: ChargeRow, event: 'charge.overpaid' | 'charge.settled'): Promise<void> {
    const pair = { token: 'USDC', network: 'base' } as const
    const request = { requestId: `req_${event}`, chargeId: charge.id, apiRequestId: null }
    const outcome = await inTransaction(stage.daemon, (db) =>
      applySandboxTrigger(stage.deps, db, {
        ...request,
        trigger: { event, amountAtto: null, pair, from: null },
      }),
    )
    expect(outcome).to.deep.equal({ outcome: 'done' })
  }

  async function legsOf(charge: ChargeRow) {
    return (await entriesOf(charge)).map(show)
  }

  async function entriesOf({ id }: ChargeRow): Promise<readonly StoredEntry[]> {
    const entries = await listEntries(stage.sql, { chargeIds: [id] })
    return entries.toSorted((a, b) => order(a) - order(b))
  }

  /** Returns a number that sorts entries by time, then by category, because entries of one turn have the same time. */
  function order({ countedAt, category }: StoredEntry): number {
    return countedAt.getTime() * 10 + ORDER.indexOf(category)
  }

  async function storedRows() {
    return stage.sql`
      select entry_id, category, corrects, network, token, chain_id, tx_hash, block_number, decimals, legs::text,
        posted_at, counted_at, merchant_received_atto, fee_charged_atto
      from accounting_entries order by posted_at, entry_id`
  }
})

const ORDER = ['payment', 'payout', 'hold', 'release', 'adjustment', 'escrow_release', 'sale']

function show(entry: StoredEntry | undefined): readonly string[] {
  if (entry === undefined) return []
  const { category, legs } = entry
  return [category, ...legs.map(({ account, amountAtto }) => `${account} ${signed(amountAtto)}`)]
}

function signed(amount: bigint): string {
  return amount < 0n ? `-${formatAtto(atto(-amount))}` : formatAtto(atto(amount))
}

function atto6(dollars: string): string {
  return String(atomic(BigInt(Math.round(Number(dollars) * 1e7)) * 10n ** 11n))
}
