import { expect } from 'chai'
import { keccak256 } from 'viem'

import { distribute } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import {
  addressOf,
  CONFIRMATIONS,
  FIRST_IN_BLOCK,
  GRACE_SECONDS,
  type PaidCharge,
  type Stage,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const KEEPER = ACCOUNTS.keeper.address.toLowerCase()

describe('a payout that others meddle with', () => {
  let stage: Stage

  stageForEach(async (fresh) => {
    stage = fresh
    await stage.reconcile()
  })

  describe('a keeper', () => {
    it('may distribute before we have credited: the pair’s payout is complete, and costs us nothing', async () => {
      const charge = await payCharge()
      await stage.distributeAsKeeper(charge)
      await stage.settle()
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', settlementStatus: 'completed' })
      expect(await stage.payoutOf(charge)).to.include({ status: 'completed', distributorAddress: KEEPER })
      expect(await stage.feed(), 'nothing was ever on offer').to.deep.equal([])
      await runWorker()
      expect(await stage.relayerTransactions()).to.have.length(0)
      await expectPaid(charge)
    })

    it('may take the money before the charge has all of it: the rest is offered, and paid by us', async () => {
      const charge = await stage.openCharge()
      await stage.callToken('mint', [charge.splitAddress, 4_000_000n])
      await stage.distributeAsKeeper(charge)
      await stage.settle()
      await stage.callToken('mint', [charge.splitAddress, 6_000_000n])
      await stage.settle()
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', settlementStatus: 'pending' })
      await runWorker()
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      expect(await stage.relayerTransactions()).to.have.length(1)
    })

    it('may distribute in front of us: our transaction reverts, and the payout is his', async () => {
      const charge = await payCharge()
      await stage.settle()
      stage.advance(GRACE_SECONDS)
      const { turn, relayer } = stage.cast()
      await turn()
      await stage.distributeAsKeeper(charge, FIRST_IN_BLOCK)
      await stage.settle()
      await relayer.turn()
      expect((await stage.relayerTransactions())[0]?.status).to.equal('reverted')
      expect(await stage.payoutOf(charge)).to.include({ status: 'completed', distributorAddress: KEEPER })
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      await runWorker()
      expect(await stage.relayerTransactions()).to.have.length(1)
      await expectPaid(charge)
    })

    it('may distribute one token of two: we pay the other, and then the charge is settled', async () => {
      const charge = await stage.openCharge({ acceptedPayments: ['USDC/base', 'USDT/base'] })
      await stage.callToken('mint', [charge.splitAddress, 4_000_000n])
      await stage.callToken('mint', [charge.splitAddress, 6_000_000n], stage.usdt)
      await stage.settle()
      await stage.distributeAsKeeper(charge, { token: stage.usdt })
      await stage.settle()
      expect(await stage.payoutOf(charge, 'USDT')).to.include({
        status: 'completed',
        distributorAddress: KEEPER,
      })
      expect(await stage.payoutOf(charge, 'USDC')).to.include({ status: 'pending' })
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'pending' })

      await runWorker()
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      expect(await stage.relayerTransactions()).to.have.length(1)
      expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
      expect(await stage.balanceOf(charge.splitAddress, stage.usdt)).to.equal(0n)
    })

    it('whose distribution is reorganized away leaves it to us', async () => {
      const charge = await payCharge()
      await stage.settle()
      await stage.distributeAsKeeper(charge)
      await stage.mine()
      await reorganize(1)
      await runWorker()
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      await expectPaid(charge)
    })
  })

  describe('our node', () => {
    let proxy: RpcProxy

    beforeEach(async () => {
      proxy = await startRpcProxy(stage.rpcUrl)
    })

    afterEach(() => proxy.stop())

    it('may take our transaction and lose it: the same bytes are sent again', async () => {
      const charge = await payCharge()
      await stage.settle()
      stage.advance(GRACE_SECONDS)
      const { turn, relayer } = stage.cast({ rpcUrl: proxy.url })
      proxy.rule((method) => (method === 'eth_sendRawTransaction' ? { result: keccak256('0x01') } : 'pass'))
      await turn()
      await stage.settle()
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'pending' })

      proxy.rule(() => 'pass')
      stage.advance(31)
      await relayer.turn()
      await stage.settle()
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      expect(await stage.relayerTransactions()).to.have.length(1)
    })

    it('may say that our transaction reverted although it did not: nothing is sent twice, the event decides', async () => {
      const charge = await payCharge()
      await stage.settle()
      stage.advance(GRACE_SECONDS)
      const { turn, relayer } = stage.cast({ rpcUrl: proxy.url })
      await turn()
      await stage.mine(CONFIRMATIONS)
      const [sent] = await stage.relayerTransactions()
      const method = 'eth_getTransactionReceipt'
      const receipt: unknown = await stage.node.request({ method, params: [sent?.txHash] } as never)
      proxy.rule((method) =>
        method === 'eth_getTransactionReceipt'
          ? { result: { ...(receipt as object), status: '0x0' } }
          : 'pass',
      )
      await relayer.turn()
      expect((await stage.relayerTransactions())[0]?.status).to.equal('reverted')
      stage.advance(60)
      await turn()
      stage.advance(3600)
      await turn()
      expect(await stage.relayerTransactions()).to.have.length(1)

      await stage.settle()
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      await expectPaid(charge)
    })

    it('may boast of a head it has not, and a reorganization follow: the payout is sent again', async () => {
      const charge = await payCharge()
      await stage.settle()
      stage.advance(GRACE_SECONDS)
      const { turn, relayer } = stage.cast({ rpcUrl: proxy.url })
      await turn()
      await stage.mine()
      proxy.rule((method) => (method === 'eth_blockNumber' ? { result: '0xffff' } : 'pass'))
      await relayer.turn()
      expect((await stage.relayerTransactions())[0]?.status, 'resolved too early').to.equal('final')
      expect(await stage.chargeOf(charge), 'completed only by the index').to.include({
        settlementStatus: 'pending',
      })

      proxy.rule(() => 'pass')
      await reorganize(1)
      for (let look = 1; look <= 3; look += 1) {
        await turn()
        await relayer.turn()
        await stage.mine()
        stage.advance(31)
      }
      await stage.settle()
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      await expectPaid(charge)
    })
  })

  async function payCharge(): Promise<PaidCharge> {
    const charge = await stage.openCharge()
    await stage.callToken('mint', [charge.splitAddress, 10_000_000n])
    return charge
  }

  /** Our worker's turn after the grace period, and all that follows from it. */
  async function runWorker(): Promise<void> {
    stage.advance(GRACE_SECONDS)
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine()
    await relayer.turn()
    await stage.settle()
  }

  async function reorganize(depth: number): Promise<void> {
    await stage.node.request({ method: 'anvil_reorg', params: [depth, []] } as never)
    await stage.emptyPool()
  }

  async function expectPaid({ split, splitAddress }: PaidCharge): Promise<void> {
    const balances = await Promise.all(split.recipients.map((account) => stage.balanceOf(account)))
    expect(balances).to.deep.equal(distribute({ amount: atomic(10_000_000n), split }).payouts)
    expect(await stage.balanceOf(splitAddress)).to.equal(0n)
    expect(
      await stage.node.getTransactionCount({ address: addressOf(ACCOUNTS.relayer.address) }),
    ).to.be.lessThan(3)
  }
})
