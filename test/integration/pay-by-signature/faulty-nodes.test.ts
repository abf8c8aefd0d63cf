import { expect } from 'chai'
import { type Hex, pad, toEventSelector, toHex } from 'viem'
import { cancelRequest } from '../../../shared/db/requests/charge-requests.ts'
import {
  createPayBySignatureFixture,
  type OpenCharge,
  OTHER_PAYER,
  PAYER,
  type PayBySignatureFixture,
  type Written,
} from '../../support/pay-by-signature-fixture.ts'
import { addressOf, CONFIRMATIONS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, type RpcRule, startRpcProxy } from '../../support/rpc-proxy.ts'

const NOT_SENT = () => Promise.resolve()
/** Code of a contract that approves every signature (EIP-1271), and of one that approves none: it returns zero. */
const SAYS_YES: Hex = '0x631626ba7e60e01b60005260206000f3'
const SAYS_NO: Hex = '0x600060005260206000f3'
const REVERTED = { error: { code: 3, message: 'execution reverted' } }
const WORD_ZERO = { result: `0x${'0'.repeat(64)}` }
const WORD_ONE = { result: `0x${'0'.repeat(63)}1` }

/** Two nodes must agree. Each test makes one node faulty, at each place in the list of nodes. */
describe('a payment by signature with a faulty node', function () {
  this.timeout(60_000)
  let stage: Stage
  let signing: PayBySignatureFixture
  let charge: OpenCharge
  let written: Written
  let request: string
  let faulty: RpcProxy
  let third: RpcProxy

  stageForEach(async (fresh) => {
    stage = fresh
    signing = await createPayBySignatureFixture(stage)
    charge = await stage.openCharge()
    written = await signing.sign(charge)
    request = (await signing.request(charge, written)) ?? ''
    faulty = await startRpcProxy(stage.rpcUrl)
    third = await startRpcProxy(stage.rpcUrl)
  })
  afterEach(async () => {
    await Promise.all([faulty.stop(), third.stop()])
    await signing.close()
  })

  for (const [place, which] of ['the first of two nodes', 'the second of two nodes'].entries()) {
    const castTwo = () => signing.cast({ rpcUrls: [stage.rpcUrl].toSpliced(place, 0, faulty.url) })

    it(`is sent although ${which} reports that it reverts, and that our account is empty`, async () => {
      faulty.rule((method, [call]) => {
        if (method === 'eth_getBalance') return { result: '0x0' }
        return method === 'eth_estimateGas' || isPayment(call) || isTransfer(call) ? REVERTED : 'pass'
      })
      await castTwo().turn()
      expect(await stage.relayerTransactions()).to.have.length(1)
    })

    it(`is not rejected while ${which} reports that the payer’s balance is too low and the other node is down`, async () => {
      faulty.rule((_method, [call]) => (isTransfer(call) ? REVERTED : isBalance(call) ? WORD_ZERO : 'pass'))
      third.rule((_method, [call]) => (isTransfer(call) || isBalance(call) ? 'error' : 'pass'))
      await signing.cast({ rpcUrls: [third.url].toSpliced(place, 0, faulty.url) }).turn()
      expect(await signing.answerOf(request)).to.equal(null)
      await signing.cast().turn()
      expect(await stage.relayerTransactions()).to.have.length(1)
    })

    it(`is neither rejected nor sent while ${which} invents a cancellation`, async () => {
      await stage.mine(CONFIRMATIONS)
      faulty.rule(await inventCancellation())
      await castTwo().turn()
      expect(await signing.answerOf(request)).to.equal(null)
      expect(await signing.authorizations()).to.deep.equal([])
      await signing.cast().turn()
      expect(await stage.relayerTransactions()).to.have.length(1)
    })

    it(`is not sent while ${which} hides that its nonce is used`, async () => {
      await signing.sendAsStranger(written)
      await stage.mine()
      faulty.rule((_method, [call]) => (isState(call) ? WORD_ZERO : 'pass'))
      await castTwo().turn()
      expect(await signing.authorizations(), 'no node has received it').to.deep.equal([])
      expect(await signing.answerOf(request)).to.equal(null)
    })

    it(`by a contract is not rejected while ${which} hides the contract’s code`, async () => {
      await bringAs(SAYS_YES)
      faulty.rule((method) => (method === 'eth_getCode' ? { result: '0x' } : 'pass'))
      await castTwo().turn()
      expect(await signing.answerOf(request)).to.equal(null)
      await signing.cast().turn()
      expect(await stage.relayerTransactions()).to.have.length(1)
    })

    it(`by a contract stays in flight while ${which} reports that the contract rejects it`, async () => {
      await bringAs(SAYS_YES)
      faulty.rule((method, [call]) => (method === 'eth_estimateGas' || isPayment(call) ? REVERTED : 'pass'))
      third.rule((method) => (method === 'eth_estimateGas' ? REVERTED : 'pass'))
      await signing.cast({ rpcUrls: [third.url].toSpliced(place, 0, faulty.url) }).turn()
      expect(await statuses()).to.deep.equal(['signed'])
      expect(await signing.answerOf(request)).to.equal(null)
    })

    it(`does not expire while ${which} hides that it was paid`, async () => {
      await signing.cast({ broadcast: NOT_SENT }).turn()
      await signing.sendAsStranger(written)
      await stage.mine()
      await pass(301)
      hidePayment()
      await castTwo().follow()
      expect(await statuses()).to.deep.equal(['signed'])
      expect(await signing.answerOf(request)).to.equal(null)
    })

    it(`does not count as mined while ${which} shows it in another block`, async () => {
      await signing.cast().turn()
      await stage.mine()
      const hash = (await stage.relayerTransactions())[0]?.txHash
      const asked = { method: 'eth_getTransactionReceipt', params: [hash] }
      const receipt: object = await stage.node.request(asked as never)
      const result = { ...receipt, blockHash: `0x${'b2'.repeat(32)}` }
      faulty.rule((method) => (method === 'eth_getTransactionReceipt' ? { result } : 'pass'))
      await castTwo().follow()
      expect(await statuses()).to.deep.equal(['signed'])
    })

    it(`does not expire if only ${which} has the block at confirmation depth`, async () => {
      await signing.cast({ broadcast: NOT_SENT }).turn()
      await pass(301)
      third.rule((method, [block]) => {
        const isDeep = method === 'eth_getBlockByNumber' && block === deep
        return isDeep ? { result: null } : 'pass'
      })
      const deep = toHex((await stage.node.getBlockNumber()) - BigInt(CONFIRMATIONS - 1))
      await signing.cast({ rpcUrls: [third.url].toSpliced(place, 0, faulty.url) }).follow()
      expect(await statuses()).to.deep.equal(['signed'])
    })

    it(`stays mined while ${which} hides it`, async () => {
      await signing.cast().turn()
      await stage.mine()
      await signing.cast().follow()
      hidePayment()
      await castTwo().follow()
      expect(await statuses()).to.deep.equal(['mined'])
    })

    it(`counts as neither mined nor expired while ${which} is down`, async () => {
      await signing.cast({ broadcast: NOT_SENT }).turn()
      faulty.rule(() => 'error')
      await pass(301)
      await castTwo()
        .follow()
        .catch(() => undefined)
      expect(await statuses()).to.deep.equal(['signed'])
      await signing.cast().follow()
      expect(await statuses()).to.deep.equal(['expired'])
    })
  }

  for (const [place, which] of ['first', 'second', 'third'].entries()) {
    const castThree = () =>
      signing.cast({ rpcUrls: [stage.rpcUrl, third.url].toSpliced(place, 0, faulty.url) })

    it(`counts as mined although the ${which} of three nodes hides it`, async () => {
      await signing.cast().turn()
      await stage.mine()
      hidePayment()
      await castThree().follow()
      expect(await signing.answerOf(request)).to.deep.include({ outcome: 'mined' })
    })

    it(`expires although the ${which} of three nodes is down`, async () => {
      await signing.cast({ broadcast: NOT_SENT }).turn()
      await pass(301)
      faulty.rule(() => 'error')
      await castThree().follow()
      expect(await statuses()).to.deep.equal(['expired'])
    })

    it(`by a contract that rejects it is rejected although the ${which} of three nodes is down`, async () => {
      await bringAs(SAYS_NO)
      faulty.rule(() => 'error')
      await castThree().turn()
      expect(await signing.answerOf(request)).to.deep.include({ param: 'signature' })
    })
  }

  it('is recorded with the head of a quorum, not with a head that one node invents', async () => {
    const honest = await stage.node.getBlockNumber()
    faulty.rule((method) => (method === 'eth_blockNumber' ? { result: '0xffffff' } : 'pass'))
    await signing.cast({ rpcUrls: [faulty.url, stage.rpcUrl], broadcast: NOT_SENT }).turn()
    const [row] = await stage.sql<{ fromBlock: number }[]>`select from_block from authorizations`
    expect(Number(row?.fromBlock)).to.be.at.most(Number(honest))
  })

  /** Gives the payer's account this code, and signs with another account's key. */
  async function bringAs(bytecode: Hex): Promise<void> {
    await stage.node.setCode({ address: PAYER.address, bytecode })
    await cancelRequest(signing.api, request)
    written = await signing.sign(charge, { payer: OTHER_PAYER, from: addressOf(PAYER.address) })
    request = (await signing.request(charge, written)) ?? ''
  }

  function hidePayment(): void {
    faulty.rule((method, [call]) => {
      if (method === 'eth_getLogs') return { result: [] }
      if (method === 'eth_getTransactionReceipt') return { result: null }
      return isState(call) ? WORD_ZERO : 'pass'
    })
  }

  /**
   * Returns a proxy rule that forges a cancellation of the nonce in an unrelated real transaction at confirmation
   * depth.
   */
  async function inventCancellation(): Promise<RpcRule> {
    await stage.callToken('mint', [charge.address, 1n])
    const { transactions } = await stage.node.getBlock()
    await stage.mine(CONFIRMATIONS)
    const asked = { method: 'eth_getTransactionReceipt', params: [transactions[0]] }
    const receipt: { readonly logs: readonly object[] } = await stage.node.request(asked as never)
    const canceled = toEventSelector('AuthorizationCanceled(address,bytes32)')
    const topics = [canceled, pad(addressOf(PAYER.address)), written.nonce]
    return (method, [call]) => {
      if (method === 'eth_getLogs') return { result: [{ ...receipt.logs[0], topics, data: '0x' }] }
      return isState(call) ? WORD_ONE : 'pass'
    }
  }

  const statuses = async () => (await signing.authorizations()).map(({ status }) => status)

  async function pass(seconds: number): Promise<void> {
    stage.advance(seconds)
    await stage.node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(stage.time.now.getTime() / 1000)) })
    await stage.mine(CONFIRMATIONS)
  }
})

/** Whether the call is `transferWithAuthorization`, in either of its two forms. */
function isPayment(call: unknown): boolean {
  return dataOf(call).startsWith('0xe3ee160e') || dataOf(call).startsWith('0xcf092995')
}

function isTransfer(call: unknown): boolean {
  return dataOf(call).startsWith('0xa9059cbb')
}

/** Whether the call is `balanceOf`. */
function isBalance(call: unknown): boolean {
  return dataOf(call).startsWith('0x70a08231')
}

/** Whether the call is `authorizationState`. */
function isState(call: unknown): boolean {
  return dataOf(call).startsWith('0xe94a0102')
}

function dataOf(call: unknown): string {
  const { data = '' } = Object(call) as { data?: string }
  return data
}
