import { expect } from 'chai'
import { type Hex, numberToHex, toFunctionSelector } from 'viem'

import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { CONFIRMATIONS, GRACE_SECONDS, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, type RpcRule, startRpcProxy } from '../../support/rpc-proxy.ts'

const KILLED = () => Promise.reject(new Error('killed'))
const HOUR = 3600
/** Gas estimate with which every distribution runs out of gas, even after the relayer adds its margin. */
const TOO_LITTLE_GAS = 90_000

describe('a payout while one of the nodes lies', function () {
  this.timeout(240_000)

  let stage: Stage
  let liar: RpcProxy
  let other: RpcProxy
  let charge: PaidCharge

  stageForEach(async (fresh) => {
    stage = fresh
    ;[liar, other] = [await startRpcProxy(stage.rpcUrl), await startRpcProxy(stage.rpcUrl)]
    charge = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
  })

  afterEach(() => Promise.all([liar.stop(), other.stop()]))

  const orders = () => ({
    'first of two': [liar.url, stage.rpcUrl],
    'second of two': [stage.rpcUrl, liar.url],
    'first of three': [liar.url, stage.rpcUrl, other.url],
    'last of three': [stage.rpcUrl, other.url, liar.url],
  })
  type Place = keyof ReturnType<typeof orders>
  const PLACES: readonly Place[] = ['first of two', 'second of two', 'first of three', 'last of three']

  for (const place of PLACES)
    for (const error of [
      'NothingToDistribute()',
      'AllPayoutsFailed()',
      'IncentiveTransferFailed()',
      'Other()',
    ])
      it(`is paid in the first attempt if the ${place} nodes reports that every call reverts with ${error}`, async () => {
        liar.rule(reverting(error))
        await stage.cast({ rpcUrls: orders()[place] }).turn()
        await stage.mine()
        expect(await stage.payoutOf(charge)).to.include({
          status: 'processing',
          attempts: 1,
          lastError: null,
        })
        expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
      })

  it('uses up no attempt for a revert at one node while the other node is silent', async () => {
    for (const error of ['NothingToDistribute()', 'AllPayoutsFailed()', 'Other()']) {
      liar.rule(reverting(error))
      other.rule((method, params) => (isSimulation(method, params) ? 'error' : 'pass'))
      const { turn } = stage.cast({ rpcUrls: [liar.url, other.url] })
      for (let look = 0; look < 10; look += 1) {
        await turn()
        stage.advance(HOUR)
      }
      expect(await stage.payoutOf(charge), error).to.include({
        status: 'pending',
        attempts: 0,
        heldSince: null,
      })
    }
    other.rule(() => 'pass')
    await stage.cast({ rpcUrls: [liar.url, other.url] }).turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('fails an attempt if a quorum reports a revert with the same error', async () => {
    for (const node of [liar, other]) node.rule(reverting('Other()'))
    await stage.cast({ rpcUrls: [liar.url, other.url] }).turn()
    expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 1 })
  })

  it('is not sent again after a reverted transaction while only one of two nodes reports a successful simulation', async () => {
    await stage
      .cast({ broadcast: KILLED })
      .turn()
      .catch(() => undefined)
    await stage.sql`update relayer_transactions set status = 'reverted'`
    other.rule(reverting('Other()'))
    const { turn } = stage.cast({ rpcUrls: [stage.rpcUrl, other.url] })
    for (let look = 0; look < 3; look += 1) {
      await turn()
      stage.advance(HOUR)
    }
    expect(await stage.relayerTransactions()).to.have.length(1)
    other.rule(() => 'pass')
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(2)
  })

  it('keeps its final transaction while one node reports its nonce as unused', async () => {
    const { turn, relayer } = stage.cast()
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    liar.rule((method) => (method === 'eth_getTransactionCount' ? { result: '0x0' } : 'pass'))
    for (const rpcUrls of Object.values(orders())) {
      await stage.cast({ rpcUrls }).relayer.turn()
      expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal(['final'])
    }
  })

  for (const place of PLACES)
    it(`is resolved only by a quorum if the ${place} nodes reports another result`, async () => {
      const { turn, relayer } = stage.cast({ rpcUrls: orders()[place] })
      await turn()
      await stage.mine(CONFIRMATIONS)
      liar.rule(await tellingStatus('0x0'))
      await relayer.turn()
      const expected = place.endsWith('two') ? 'signed' : 'final'
      expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal([expected])
    })

  it('is not resolved by the result of one node while the other node is silent', async () => {
    const { turn, relayer } = stage.cast({ rpcUrls: [liar.url, other.url] })
    await turn()
    await stage.mine(CONFIRMATIONS)
    liar.rule(await tellingStatus('0x0'))
    other.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
    await relayer.turn()
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal(['signed'])
  })

  it('is not resolved by a head that one of two nodes invents', async () => {
    const { turn, relayer } = stage.cast({ rpcUrls: [liar.url, stage.rpcUrl] })
    await turn()
    await stage.mine()
    liar.rule((method) => (method === 'eth_blockNumber' ? { result: '0xffff' } : 'pass'))
    await relayer.turn()
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal(['mined'])
  })

  it('is signed with the nonce that a quorum reports, not with a nonce that one node invents', async () => {
    liar.rule((method) => (method === 'eth_getTransactionCount' ? { result: '0x63' } : 'pass'))
    await stage.cast({ rpcUrls: [liar.url, stage.rpcUrl] }).turn()
    expect((await stage.relayerTransactions()).map(({ nonce }) => nonce)).to.deep.equal([0])
  })

  describe('whose reverted transaction one node reported as successful', () => {
    const statuses = async () => (await stage.relayerTransactions()).map(({ status }) => status)

    beforeEach(async () => {
      liar.rule((method) => (method === 'eth_estimateGas' ? { result: numberToHex(TOO_LITTLE_GAS) } : 'pass'))
      const { turn, relayer } = stage.cast({ rpcUrl: liar.url })
      await turn()
      await stage.mine(CONFIRMATIONS)
      liar.rule(await tellingStatus('0x1'))
      await relayer.turn()
      expect(await statuses()).to.deep.equal(['final'])
    })

    it('is reopened ten minutes later by a quorum, and paid', async () => {
      const { turn, relayer, metricsText } = stage.cast({ rpcUrls: [stage.rpcUrl, other.url] })
      stage.advance(599)
      await relayer.turn()
      await turn()
      expect(await statuses(), 'its event might still arrive').to.deep.equal(['final'])
      stage.advance(1)
      await relayer.turn()
      expect(await statuses()).to.deep.equal(['reverted'])
      expect(await metricsText()).to.match(/^relayer_transactions_total\{.*status="signed".*\} 1$/m)
      await turn()
      stage.advance(30)
      await turn()
      await stage.mine()
      expect(await statuses()).to.deep.equal(['reverted', 'signed'])
      expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
    })

    it('stays unchanged while one of two nodes denies the success and the other node is silent', async () => {
      stage.advance(600)
      other.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
      await stage.cast({ rpcUrls: [stage.rpcUrl, other.url] }).relayer.turn()
      expect(await statuses()).to.deep.equal(['final'])
    })

    it('stays unchanged while one of two nodes still reports the success, until a third node decides', async () => {
      stage.advance(600)
      await stage.cast({ rpcUrls: [stage.rpcUrl, liar.url] }).relayer.turn()
      expect(await statuses()).to.deep.equal(['final'])
      stage.advance(600)
      await stage.cast({ rpcUrls: [stage.rpcUrl, liar.url, other.url] }).relayer.turn()
      expect(await statuses()).to.deep.equal(['reverted'])
    })
  })

  it('stays final if a quorum reports the success, no matter how long the event is missing', async () => {
    const { turn, relayer } = stage.cast({ rpcUrls: [stage.rpcUrl, other.url] })
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    for (let look = 0; look < 3; look += 1) {
      stage.advance(HOUR)
      expect(await relayer.turn(), 'no status changes').to.equal('idle')
      await turn()
    }
    expect((await stage.relayerTransactions()).map(({ status }) => status)).to.deep.equal(['final'])
  })

  /** Returns a rule that makes a node report this status for our transaction. */
  async function tellingStatus(status: Hex): Promise<RpcRule> {
    const [sent] = await stage.relayerTransactions()
    const request = { method: 'eth_getTransactionReceipt', params: [sent?.txHash] }
    const receipt: object = await stage.node.request(request as never)
    return (method) => (method === 'eth_getTransactionReceipt' ? { result: { ...receipt, status } } : 'pass')
  }
})

/** Makes the node report a revert for every simulated call to our factory. */
function reverting(error: string): RpcRule {
  const data = toFunctionSelector(error)
  return (method, params) =>
    isSimulation(method, params) ? { error: { code: 3, message: 'execution reverted', data } } : 'pass'
}

function isSimulation(method: string, [call]: readonly unknown[]): boolean {
  const isCall = method === 'eth_call' || method === 'eth_estimateGas'
  return isCall && String((call as { to?: string }).to).toLowerCase() === SPLIT_FACTORY.toLowerCase()
}
