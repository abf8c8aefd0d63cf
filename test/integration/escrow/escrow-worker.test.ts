import { expect } from 'chai'
import { pad, zeroHash } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { setGasPriceOracle, setNodeInterface } from '../../support/data-fee-oracles.ts'
import {
  createEscrowFixture,
  type EscrowFixture,
  type PaidEscrowCharge,
} from '../../support/escrow-fixture.ts'
import { deploySafeCall, swapOwnerCall } from '../../support/escrow-scenario.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const CONFIRMATIONS = 3
const KILLED = () => Promise.reject(new Error('killed'))
/** The storage slot of the guard in Safe v1.4.1 (contracts/base/GuardManager.sol). */
const GUARD_SLOT = '0x4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8'
const LOOKALIKE = `0x${'5a'.repeat(20)}` as Address
const NOT_SENT = () => Promise.resolve()

describe('the escrow worker', function () {
  this.timeout(240_000)
  let stage: EscrowFixture
  let charge: PaidEscrowCharge
  let faulty: RpcProxy
  let third: RpcProxy

  before(async () => {
    stage = await createEscrowFixture()
  })

  after(() => stage?.close())

  beforeEach(async () => {
    await stage.sql`truncate escrow_orders, escrow_transfers, requests, relayer_transactions cascade`
    charge = await stage.payEscrow()
    faulty = await startRpcProxy(stage.rpcUrl)
    third = await startRpcProxy(stage.rpcUrl)
  })

  afterEach(() => Promise.all([faulty.stop(), third.stop()]))

  it('deploys the Safe, releases and pays out in one transaction, and responds once it is at depth', async () => {
    const request = await stage.order(charge, 'release')
    const { turn, relayer } = stage.cast()
    await turn()
    expect(await stage.transactions()).to.have.length(1)
    await stage.mine()
    await relayer.turn()
    await turn()
    expect(await stage.balanceOf(charge.merchant)).to.equal(9_850_001n)
    expect(await stage.balanceOf(charge.safe)).to.equal(0n)
    expect(await stage.answerOf(request), 'mined, but not at depth, and not shown by the feed').to.equal(null)

    await stage.mine(3)
    await relayer.turn()
    await turn()
    expect(await stage.statusOf(request)).to.equal('final')
    expect(await stage.answerOf(request)).to.deep.equal({ outcome: 'mined' })
  })

  it('refunds the whole balance to the last payer', async () => {
    const payer = ACCOUNTS.payer2.address.toLowerCase() as Address
    const before = await stage.balanceOf(payer)
    await stage.order(charge, 'refund')
    await stage.cast().turn()
    await stage.mine()
    expect((await stage.balanceOf(payer)) - before).to.equal(10_000_000n)
  })

  it('responds once the feed shows the transfer, and tracks the order again after a reorganization', async () => {
    const request = await stage.order(charge, 'release')
    const { turn } = stage.cast()
    await turn()
    await showMovement(charge)
    await turn()
    expect(await stage.statusOf(request)).to.equal('mined')
    expect(await stage.answerOf(request)).to.deep.equal({ outcome: 'mined' })
    await stage.sql`update escrow_transfers set inclusion = 'orphaned'`
    await turn()
    expect(await stage.statusOf(request)).to.equal('signed')
  })

  it('rejects an order if the Safe has received ten cents since the signing', async () => {
    const request = await stage.order(charge, 'release')
    await stage.callToken('mint', charge.safe, 100_000n)
    await stage.cast().turn()
    await expectRefused(request, 'escrow_invalid_signature')
  })

  it('executes the signed amount even if a third party’s dust arrived after the signing', async () => {
    const request = await stage.order(charge, 'release')
    await stage.callToken('mint', charge.safe, 99_999n)
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine(4)
    await relayer.turn()
    await turn()
    expect(await stage.statusOf(request)).to.equal('final')
    expect(await stage.balanceOf(charge.safe)).to.equal(99_999n)
  })

  it('does not confuse the order with an earlier transfer of the same amount', async () => {
    await stage.callToken('mint', charge.safe, 10_000_000n)
    await showMovement(charge)
    await stage.sql`update escrow_transfers set amount_atomic = 20000000, block_number = 1`
    const request = await stage.order(charge, 'release')
    const { turn } = stage.cast()
    await turn()
    await turn()
    expect(await stage.statusOf(request)).to.equal('signed')
  })

  it('rejects an order with a forged signature', async () => {
    const signature = `0x${'11'.repeat(64)}1b`
    const request = await stage.insertRequest(charge, { action: 'refund', signature })
    await stage.cast().turn()
    await expectRefused(request, 'escrow_invalid_signature')
  })

  it('does not execute an order older than five minutes', async () => {
    const request = await stage.order(charge, 'release')
    await stage.sql`update requests set created_at = created_at - interval '301 seconds'`
    await stage.cast().turn()
    await expectRefused(request, 'service_unavailable')
  })

  it('executes an order younger than five minutes', async () => {
    await stage.order(charge, 'release')
    await stage.sql`update requests set created_at = created_at - interval '290 seconds'`
    await stage.cast().turn()
    expect(await stage.transactions()).to.have.length(1)
  })

  it('signs once if two daemons claim the same order', async () => {
    await stage.order(charge, 'release')
    await Promise.all([stage.cast().turn(), stage.cast().turn()])
    expect(await stage.transactions()).to.have.length(1)
    const [count] = await stage.sql`select count(*) from escrow_orders`
    expect(count?.['count']).to.equal(1)
  })

  it('lets another process broadcast its signed transaction if it is killed before the broadcast', async () => {
    await stage.order(charge, 'release')
    await stage
      .cast({ broadcast: KILLED })
      .turn()
      .catch(() => undefined)
    const { turn, relayer } = stage.cast()
    await Promise.all([turn(), relayer.turn()])
    await stage.mine()
    expect(await stage.transactions()).to.have.length(1)
    expect(await stage.balanceOf(charge.safe)).to.equal(0n)
  })

  it('keeps an order pending while no node responds', async () => {
    const request = await stage.order(charge, 'release')
    const { turn, lines } = stage.cast({ rpcUrl: 'http://127.0.0.1:9' })
    await turn()
    expect(lines.map(({ msg }) => msg)).to.include(
      'An escrow order waits: its chain cannot be read, or its fees are too high',
    )
    expect(await stage.answerOf(request)).to.equal(null)
    await stage.cast().turn()
    expect(await stage.transactions()).to.have.length(1)
  })

  for (const [place, which] of ['first', 'second'].entries()) {
    const castWith = (...honest: readonly string[]) =>
      stage.cast({ rpcUrls: honest.toSpliced(place, 0, faulty.url) })

    it(`neither rejects nor relays an order while the ${which} of two nodes returns a wrong Safe balance or an error`, async () => {
      const request = await stage.order(charge, 'release')
      for (const fate of [{ result: `0x${'0'.repeat(64)}` }, { result: '0x' }, 'error'] as const) {
        faulty.rule((_method, [call]) => (isBalanceOf(call) ? fate : 'pass'))
        await castWith(stage.rpcUrl).turn()
        expect(await stage.answerOf(request)).to.equal(null)
        expect(await stage.transactions()).to.deep.equal([])
      }
    })

    it(`relays an order although the ${which} of two nodes reports that it reverts or burns too much gas`, async () => {
      for (const fate of [{ error: { code: 3, message: 'execution reverted' } }, { result: '0xffffff' }]) {
        await stage.order(await stage.payEscrow(), 'release')
        faulty.rule((method) => (method === 'eth_estimateGas' ? fate : 'pass'))
        const before = (await stage.transactions()).length
        await castWith(stage.rpcUrl).turn()
        expect(await stage.transactions()).to.have.length(before + 1)
      }
    })

    it(`rejects an order if two nodes report that it reverts, although the ${which} of three is down`, async () => {
      await stage.callToken('blacklist', charge.split)
      const request = await stage.order(charge, 'release')
      faulty.rule(() => 'error')
      await castWith(stage.rpcUrl, third.url).turn()
      await expectRefused(request, 'recipient_transfer_restricted')
    })
  }

  it('keeps an order pending while the only responding node reports that it reverts', async () => {
    await stage.callToken('blacklist', charge.split)
    const request = await stage.order(charge, 'release')
    faulty.rule((method) => (method === 'eth_estimateGas' ? 'error' : 'pass'))
    await stage.cast({ rpcUrls: [faulty.url, stage.rpcUrl] }).turn()
    expect(await stage.answerOf(request)).to.equal(null)
  })

  it('retries an order that a node could not simulate, but only after newer orders', async () => {
    const another = await stage.payEscrow()
    const charges = [charge, another]
    const proxy = await startRpcProxy(stage.rpcUrl)
    const tried: (string | undefined)[] = []
    proxy.rule((method, params) => {
      if (method !== 'eth_estimateGas') return 'pass'
      const of = charges.find(({ safe }) => JSON.stringify(params).includes(safe.slice(2)))
      if (tried.at(-1) !== of?.id) tried.push(of?.id) // The client tries a node twice.
      return of === charge ? 'error' : 'pass'
    })
    const { turn } = stage.cast({ rpcUrl: proxy.url })
    await stage.order(charge, 'release')
    await turn()
    await stage.order(another, 'release')
    await turn()
    await proxy.stop()
    expect(tried).to.deep.equal([charge.id, another.id, charge.id])
    expect(await stage.transactions()).to.have.length(1)
  })

  it('rejects an order whose transfer the token would reject, without spending gas', async () => {
    await stage.callToken('blacklist', charge.split)
    const request = await stage.order(charge, 'release')
    await stage.cast().turn()
    await expectRefused(request, 'recipient_transfer_restricted')
  })

  it('releases into the split even if the split cannot pay its recipients now', async () => {
    const treasury = ACCOUNTS.treasury.address
    for (const account of [charge.merchant, treasury]) await stage.callToken('blacklist', account)
    await stage.order(charge, 'release')
    await stage.cast().turn()
    await stage.mine()
    await stage.callToken('unBlacklist', treasury)
    expect(await stage.balanceOf(charge.split)).to.equal(10_000_000n)
  })

  it('does not relay an order that needs more than the gas limit', async () => {
    const request = await stage.order(charge, 'release')
    await stage.cast({ maxGas: 200_000n }).turn()
    await expectRefused(request, 'recipient_transfer_restricted')
  })

  it('rejects an order for a Safe whose owner is no longer the releaser', async () => {
    const { releaser, keeper } = ACCOUNTS
    const request = await stage.order(charge, 'release')
    await stage.write(keeper, deploySafeCall({ salt: chargeSalt(charge.id), owner: releaser.address }))
    await stage.write(releaser, swapOwnerCall(charge.safe, { from: releaser.address, to: keeper.address }))
    await stage.cast().turn()
    await expectRefused(request, 'escrow_safe_mismatch')
  })

  for (const [title, slot, value] of [
    ['a guard', GUARD_SLOT, pad(ACCOUNTS.keeper.address)],
    ['other code that responds like a Safe', zeroHash, pad(LOOKALIKE)],
  ] as const) {
    it(`rejects a Safe to which its releaser gave ${title}`, async () => {
      const { releaser, keeper } = ACCOUNTS
      const signature = await stage.sign(charge, 'release')
      await stage.write(keeper, deploySafeCall({ salt: chargeSalt(charge.id), owner: releaser.address }))
      const bytecode = await stage.node.getCode({ address: SAFE_CONTRACTS.singleton })
      await stage.node.setCode({ address: LOOKALIKE, bytecode: bytecode ?? '0x' })
      await stage.node.setStorageAt({ address: charge.safe, index: slot, value })
      const request = await stage.insertRequest(charge, { action: 'release', signature })
      await stage.cast().turn()
      await expectRefused(request, 'escrow_safe_mismatch')
    })
  }

  it('reports that a reverted order moved nothing, and accepts another order', async () => {
    const request = await orderInVain()
    expect(await stage.statusOf(request)).to.equal('reverted')
    expect(await stage.answerOf(request)).to.deep.include({ code: 'escrow_invalid_signature' })
    await stage.order(charge, 'release')
  })

  it('waits for the gas estimate of a quorum after an earlier order ran out of gas', async () => {
    const { turn, relayer } = stage.cast({ rpcUrls: [faulty.url, third.url] })
    faulty.rule((method) => (method === 'eth_estimateGas' ? { result: '0x27100' } : 'pass'))
    third.rule((method) => (method === 'eth_estimateGas' ? 'error' : 'pass'))
    const first = await stage.order(charge, 'release')
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    await turn()
    expect(await stage.statusOf(first)).to.equal('reverted')
    await stage.order(charge, 'release')
    await turn()
    expect(await stage.transactions(), 'only one node estimates the gas').to.have.length(1)
    third.rule(() => 'pass')
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    expect(await stage.transactions()).to.have.length(2)
    expect(await stage.balanceOf(charge.safe)).to.equal(0n)
  })

  it('does not relay a third transaction for a Safe whose first two transactions burned our gas', async () => {
    await orderInVain()
    const signature = await stage.sign(charge, 'release')
    await orderInVain()
    const request = await stage.insertRequest(charge, { action: 'release', signature })
    await stage.cast().turn()
    expect(await stage.answerOf(request)).to.deep.include({ code: 'escrow_safe_mismatch' })
    expect(await stage.transactions()).to.have.length(2)
  })

  it('does not sign while the gas price is above the ceiling, and rejects the order after its deadline', async () => {
    const request = await stage.order(charge, 'release')
    const { turn } = stage.cast({ gasBounds: { maxFeePerGasWei: 1n, maxTipPerGasWei: 1n } })
    await turn()
    expect(await stage.transactions()).to.deep.equal([])
    await stage.sql`update requests set created_at = now() - interval '301 seconds'`
    await turn()
    await expectRefused(request, 'service_unavailable')
  })

  it('signs an order only once the L1 data fee is within our limit', async () => {
    await stage.order(charge, 'release')
    await setGasPriceOracle(stage.node, { weiPerByte: 10n ** 14n, operatorWei: 0n })
    await stage.cast().turn()
    expect(await stage.transactions()).to.deep.equal([])
    await setGasPriceOracle(stage.node, { weiPerByte: 1n, operatorWei: 0n })
    await stage.cast().turn()
    expect(await stage.transactions()).to.have.length(1)
  })

  it('adds the gas of the L1 data fee to the gas limit of an order', async () => {
    await stage.order(charge, 'release')
    await setNodeInterface(stage.node, { gas: 800_000n })
    const dataFee = { model: 'arbitrum', maxWei: 10n ** 18n } as const
    await stage.cast({ maxGas: 200_000n, dataFee }).turn()
    expect(await stage.transactions()).to.have.length(1)
  })

  it('uses an empty transaction with the same nonce to end an order that is not mined within five minutes', async () => {
    const request = await stage.order(charge, 'release')
    const { turn, relayer } = stage.cast({ broadcast: NOT_SENT })
    await turn()
    const [bounds] = await stage.sql`
      select extract(epoch from t.valid_until - r.created_at)::int as seconds
      from relayer_transactions t, requests r where r.id = ${request}`
    expect(bounds).to.deep.equal({ seconds: 300 })

    await stage.sql`update relayer_transactions set valid_until = now()`
    await relayer.turn()
    expect(await stage.statusOf(request), 'its transaction might still be mined').to.equal('signed')
    await stage.mine(3)
    await relayer.turn()
    await turn()
    expect(await stage.statusOf(request)).to.equal('failed')
    expect(await stage.answerOf(request)).to.deep.include({ outcome: 'refused', code: 'service_unavailable' })
    expect(await stage.balanceOf(charge.safe), 'nothing has left the Safe').to.equal(10_000_000n)
    await stage.order(charge, 'release')
  })

  for (const [title, changes] of [
    ['to an address that the order does not name', { recipient: LOOKALIKE }],
    ['only in part', { amount: 9_999_999n }],
  ] as const)
    it(`does not mark an order as mined if its amount left the Safe ${title}`, async () => {
      const request = await stage.order(charge, 'release')
      const { turn } = stage.cast()
      await turn()
      await showMovement(charge, changes)
      await turn()
      expect(await stage.statusOf(request)).to.equal('signed')
      expect(await stage.answerOf(request)).to.equal(null)
    })

  it('marks an order as final if a third party relayed it before us', async () => {
    const request = await stage.order(charge, 'release')
    const { turn, relayer } = stage.cast({ broadcast: NOT_SENT })
    await turn()
    await stage.callToken('blacklist', charge.safe) // Simulates the third party: our transaction reverts.
    await relayer.turn()
    await stage.mine(3)
    await relayer.turn()
    await showMovement(charge)
    await turn()
    expect(await stage.statusOf(request)).to.equal('final')
    expect(await stage.answerOf(request)).to.deep.equal({ outcome: 'mined' })
  })

  async function expectRefused(request: string, code: string): Promise<void> {
    expect(await stage.answerOf(request)).to.deep.include({ outcome: 'refused', code })
    expect(await stage.transactions(), 'nothing is signed').to.deep.equal([])
  }

  /** Submits an order whose transaction reverts. Returns the id of the request. */
  async function orderInVain(): Promise<string> {
    const request = await stage.order(charge, 'release')
    const { turn, relayer } = stage.cast({ broadcast: NOT_SENT })
    await turn()
    await stage.callToken('blacklist', charge.safe)
    await relayer.turn()
    await stage.mine(3)
    await relayer.turn()
    await turn()
    await stage.callToken('unBlacklist', charge.safe)
    return request
  }

  /** Records the release as the chain feed does. */
  async function showMovement(
    { id, split }: PaidEscrowCharge,
    {
      recipient = split,
      amount = 10_000_000n,
    }: { readonly recipient?: Address; readonly amount?: bigint } = {},
  ): Promise<void> {
    await stage.sql`
      insert into escrow_transfers (charge_id, action, chain_id, token_address, tx_hash, ordinal, recipient,
        amount_atomic, inclusion, block_number, block_hash, block_timestamp, log_index)
      values (${id}, 'release', ${stage.chainId}, ${stage.token}, '0x1', 0, ${recipient},
        ${stage.sql.types.numeric(amount)}, 'included', 1000000, '0x', 1, 0)`
  }
})

function isBalanceOf(call: unknown): boolean {
  const { data = '' } = Object(call) as { data?: string }
  return data.startsWith('0x70a08231')
}
