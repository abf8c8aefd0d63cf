import { expect } from 'chai'
import { generatePrivateKey } from 'viem/accounts'
import type { Address } from '../../../shared/domain/address.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { catchMessage } from '../../support/payout-fixture.ts'
import {
  createTronPayoutFixture,
  GRACE_SECONDS,
  startTronChain,
  type TronPayoutFixture,
} from '../../support/tron-payout-fixture.ts'
import { startTronProxy } from '../../support/tron-proxy.ts'

const HOUR = 3600

describe('payouts on a local TRON chain', function () {
  this.timeout(120_000)

  let tron: Awaited<ReturnType<typeof startTronChain>>
  let stage: TronPayoutFixture

  before(async () => {
    tron = await startTronChain()
  })
  after(() => tron.stop())
  beforeEach(async () => {
    stage = await createTronPayoutFixture(tron)
  })
  afterEach(() => stage.close())

  it('pay each recipient exactly the amount that our own computation predicts, and settle once the payout is solidified', async () => {
    const charge = await stage.pay(10_000_001n)
    expect(await stage.chargeOf(charge)).to.deep.equal({ status: 'confirmed', settlementStatus: 'pending' })
    stage.advance(GRACE_SECONDS)
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine()
    const { payouts } = distribute({ amount: atomic(10_000_001n), split: charge.split })
    expect(
      await Promise.all(charge.split.recipients.map((account) => stage.balanceOf(account))),
    ).to.deep.equal(payouts)
    await relayer.turn()
    expect((await stage.transactions()).map(({ status }) => status)).to.deep.equal(['signed'])
    await stage.settle()
    await relayer.turn()
    expect((await stage.transactions()).map(({ status }) => status)).to.deep.equal(['final'])
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
    expect(stage.distributionsOf(charge)).to.equal(1)
  })

  it('limit the fee of a transaction to the cost of its energy, a margin, and the reserve for a held share', async () => {
    const charge = await stage.pay(10_000_000n)
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    await stage.mine()
    const [own] = await stage.transactions()
    const { feeLimitSun, energyUsed } = stage.chain.find(own?.txHash ?? '0x')?.transaction ?? {}
    const used = (energyUsed ?? 0n) * 100n
    // A quarter more than the estimate, plus the energy that the split needs to hold a share.
    expect(Number((feeLimitSun ?? 0n) - used)).to.be.within(10_000_000, 10_000_000 + Number(used / 3n))
    expect(stage.distributionsOf(charge)).to.equal(1)
  })

  it('do not sign a transaction whose fee limit is above the maximum, do not count a failed attempt, and report the reason', async () => {
    const charge = await stage.pay(10_000_000n)
    stage.advance(GRACE_SECONDS)
    await stage.cast({ maxFeeLimitSun: 1_000_000n }).turn()
    expect(await stage.transactions()).to.deep.equal([])
    const payout = await stage.payoutOf(charge)
    expect(payout).to.include({ status: 'pending', attempts: 0 })
    expect(payout?.lastError).to.match(/fee limit of \d+ sun is above the bound of 1000000/)
  })

  describe('by a relayer that has run out of TRX', () => {
    const FUNDED_SUN = 50_000_000

    it('wait without a failed attempt, report the missing TRX, and continue once the relayer is funded', async () => {
      const charge = await stage.pay(10_000_000n)
      stage.advance(GRACE_SECONDS)
      const { turn, relayer } = stage.cast({ privateKey: generatePrivateKey() })
      for (let look = 0; look < 10; look += 1) {
        await turn()
        stage.advance(HOUR)
      }
      expect(await stage.transactions()).to.deep.equal([])
      const payout = await stage.payoutOf(charge)
      expect(payout).to.include({ status: 'pending', attempts: 0 })
      expect(payout?.lastError).to.match(/the relayer has 0 sun, .*: send it \d+ sun, or stake/)

      await stage.fund(relayer.address, FUNDED_SUN)
      await turn()
      await stage.mine()
      await stage.settle()
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
    })

    it('wait even with staked energy, because nodes reject a transaction whose bandwidth is not paid', async () => {
      const charge = await stage.pay(10_000_000n)
      stage.advance(GRACE_SECONDS)
      stage.chain.habits.stakedEnergy = 100_000_000
      await stage.cast({ privateKey: generatePrivateKey() }).turn()
      stage.chain.habits.stakedEnergy = 0
      expect(await stage.transactions()).to.deep.equal([])
      expect((await stage.payoutOf(charge))?.lastError).to.match(
        /and \d{3} bytes: send it \d{3}000 sun, or stake/,
      )
    })

    it('sign only as many transactions at a time as the balance covers', async () => {
      for (let count = 0; count < 3; count += 1) await stage.pay(10_000_000n)
      stage.advance(GRACE_SECONDS)
      const { turn, relayer } = stage.cast({ privateKey: generatePrivateKey() })
      await stage.fund(relayer.address, FUNDED_SUN)
      await turn()
      expect(await stage.transactions()).to.have.lengthOf(1)
    })
  })

  it('do not treat a transaction as accepted if the only node that already has it has rejected it before', async () => {
    await stage.pay(10_000_000n)
    stage.advance(GRACE_SECONDS)
    const line = await startTronProxy(stage.url)
    const rejectedSince = async () => (await stage.sql`select rejected_since from relayer_transactions`)[0]
    try {
      line.rule((path) => (path === '/wallet/broadcasthex' ? () => ({ code: 'BANDWITH_ERROR' }) : 'pass'))
      const { turn, relayer, lines } = stage.cast({ urls: [line.url] })
      await turn()
      const first = await rejectedSince()
      expect(first?.['rejectedSince']).to.be.an.instanceOf(Date)
      line.rule(() => 'pass')
      stage.advance(16)
      await relayer.turn()
      expect(await rejectedSince()).to.deep.equal(first)
      expect(lines.map(({ msg }) => msg)).to.include('A node already knew the transaction')
    } finally {
      await line.stop()
    }
  })

  it('do not fail if a keeper is faster, and accept the keeper’s distribution as the payout', async () => {
    const charge = await stage.pay(10_000_000n)
    stage.advance(GRACE_SECONDS)
    const { turn, relayer } = stage.cast()
    await stage.keep(charge)
    await turn()
    await stage.settle()
    await relayer.turn()
    await turn()
    expect((await stage.transactions()).map(({ status }) => status)).to.deep.equal(['reverted'])
    expect(await stage.payoutOf(charge)).to.include({ status: 'completed', attempts: 1 })
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
  })

  it('wait while the issuer restricts the split, check hourly, and continue once the restriction ends', async () => {
    const charge = await stage.pay(10_000_000n)
    await stage.callToken('addBlackList(address)', charge.splitAddress)
    stage.advance(GRACE_SECONDS)
    for (let look = 0; look < 3; look += 1) {
      await stage.cast().turn()
      stage.advance(HOUR)
    }
    expect(await stage.transactions()).to.deep.equal([])
    expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })
    await stage.callToken('removeBlackList(address)', charge.splitAddress)
    await stage.cast().turn()
    await stage.mine()
    await stage.settle()
    expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
  })

  for (const hidesTriedLogs of [false, true]) {
    const node = hidesTriedLogs ? 'an older node, which shows no logs of simulations' : 'a node'
    it(`hold the share of a rejected recipient, pay the other recipients, and release the share later, with ${node}`, async () => {
      stage.chain.habits.hidesTriedLogs = hidesTriedLogs
      const charge = await stage.pay(10_000_000n, 'USDC')
      const merchant = charge.split.recipients[0] as Address
      await stage.refuse(merchant, true)
      stage.advance(GRACE_SECONDS)
      await stage.cast().turn()
      await stage.mine()
      await stage.settle()
      const { payouts } = distribute({ amount: atomic(10_000_000n), split: charge.split })
      const balances = () =>
        Promise.all(charge.split.recipients.map((account) => stage.balanceOf(account, stage.refusing)))
      expect(await balances()).to.deep.equal([0n, ...payouts.slice(1)])
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'pending' })

      const { release, relayer } = stage.cast()
      await relayer.turn()
      await release()
      expect(await stage.transactions(), 'a release to the rejected recipient').to.have.lengthOf(1)
      await stage.refuse(merchant, false)
      stage.advance(HOUR)
      await Promise.all([release(), stage.cast().release()])
      await stage.mine()
      await stage.settle()
      await relayer.turn()
      stage.chain.habits.hidesTriedLogs = false
      expect((await stage.transactions()).map(({ status }) => status)).to.deep.equal(['final', 'final'])
      expect(await balances()).to.deep.equal([...payouts])
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
    })
  }

  it('do not sign a transaction for a charge whose factory the service never used', async () => {
    const charge = await stage.pay(10_000_000n)
    await stage.sql`delete from service_terms`
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    expect(await stage.transactions()).to.deep.equal([])
    expect((await stage.payoutOf(charge))?.lastError).to.include('must not be signed')
  })

  it('never have two unresolved transactions for one payout, because the database rejects the second transaction', async () => {
    await stage.pay(10_000_000n)
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    const again = stage.sql`
      insert into relayer_transactions (tx_hash, chain_id, relayer, payout_id, raw_transaction, valid_until)
      select '0x1', chain_id, relayer, payout_id, '0x', now() from relayer_transactions`
    expect(await catchMessage(again)).to.include('relayer_transactions_one_open_per_payout')
  })
})
