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

describe('a payout with interference', () => {
  let stage: Stage

  stageForEach(async (fresh) => {
    stage = fresh
    await stage.reconcile()
  })

  describe('by a keeper', () => {
    it('is completed without costs for us if the keeper distributes before we have credited the payment', async () => {
      const charge = await payCharge()
      await stage.distributeAsKeeper(charge)
      await stage.settle()
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed', settlementStatus: 'completed' })
      expect(await stage.payoutOf(charge)).to.include({ status: 'completed', distributorAddress: KEEPER })
      expect(await stage.feed(), 'payouts offered to keepers').to.deep.equal([])
      await runWorker()
      expect(await stage.relayerTransactions()).to.have.length(0)
      await expectPaid(charge)
    })

    it('pays the remaining amount if the keeper distributes before the charge is fully paid', async () => {
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

    it('is completed by the keeper’s distribution if the keeper frontruns our transaction, which then reverts', async () => {
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

    it('pays one token and settles the charge if the keeper distributes the other token', async () => {
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

    it('is paid by us if the keeper’s distribution is orphaned', async () => {
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

  describe('by our node', () => {
    let proxy: RpcProxy

    beforeEach(async () => {
      proxy = await startRpcProxy(stage.rpcUrl)
    })

    afterEach(() => proxy.stop())

    it('is sent again with the same bytes if the node accepts our transaction and loses it', async () => {
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

    it('is not sent twice if the node falsely reports a revert, because the event decides', async () => {
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

    it('is sent again if the node reports a head that does not exist and a reorganization follows', async () => {
      const charge = await payCharge()
      await stage.settle()
      stage.advance(GRACE_SECONDS)
      const { turn, relayer } = stage.cast({ rpcUrl: proxy.url })
      await turn()
      await stage.mine()
      proxy.rule((method) => (method === 'eth_blockNumber' ? { result: '0xffff' } : 'pass'))
      await relayer.turn()
      expect((await stage.relayerTransactions())[0]?.status, 'resolved too early').to.equal('final')
      expect(await stage.chargeOf(charge), 'completed only by the feed').to.include({
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

  /** Runs our worker and relayer after the grace period, and settles the charge. */
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
