import { expect } from 'chai'
import type { Hex } from 'viem'
import { findSignatureFacts } from '../../../shared/db/pay-by-signature/authorization-facts.ts'
import { expireUnservedAuthorizationRequests } from '../../../shared/db/pay-by-signature/authorization-requests.ts'
import { deleteAuthorization } from '../../../shared/db/pay-by-signature/daemon/authorizations.ts'
import { cancelRequest } from '../../../shared/db/requests/charge-requests.ts'
import { DATA_FEES } from '../../../shared/domain/data-fees.ts'
import { planAuthorization } from '../../../shared/domain/eip3009/plan-authorization.ts'
import {
  AUTHORIZER,
  createPayBySignatureFixture,
  type OpenCharge,
  OTHER_PAYER,
  PAYER,
  type PayBySignatureFixture,
  type Written,
} from '../../support/pay-by-signature-fixture.ts'
import { addressOf, CONFIRMATIONS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { STALE_AFTER } from '../../support/rows.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

/** Code of a contract that approves every signature (EIP-1271), and of one that approves none: it returns zero. */
const SAYS_YES: Hex = '0x631626ba7e60e01b60005260206000f3'
const SAYS_NO: Hex = '0x600060005260206000f3'

/** A node can execute any signature that it has received, so the API must not request another one afterwards. */
describe('a signature that a node has received', function () {
  this.timeout(60_000)
  let stage: Stage
  let signing: PayBySignatureFixture
  let charge: OpenCharge
  let written: Written
  let request: string
  let proxy: RpcProxy

  stageForEach(async (fresh) => {
    stage = fresh
    signing = await createPayBySignatureFixture(stage)
    charge = await stage.openCharge()
    written = await signing.sign(charge)
    request = (await signing.request(charge, written)) ?? ''
    proxy = await startRpcProxy(stage.rpcUrl)
  })
  afterEach(async () => {
    await proxy.stop()
    await signing.close()
  })

  it('is recorded before a node receives it, even in a query for the L1 data fee', async () => {
    const written: number[] = []
    proxy.rule(async (_method, params) => {
      if (hasSeen(params)) written.push((await signing.authorizations()).length)
      return 'pass' as const
    })
    await signing.cast({ rpcUrls: [proxy.url], relayerTerms: { dataFee: DATA_FEES.arbitrum } }).turn()
    expect(written).to.not.deep.equal([])
    expect(written).to.deep.equal(written.map(() => 1))
  })

  it('stays in flight while no account executes it, no matter how old its request is', async () => {
    await showAndDie()
    expect(await cancelRequest(signing.api, request), 'the API can no longer cancel the request').to.equal(
      false,
    )
    await stage.sql`update requests set created_at = now() - interval '6 minutes'`
    expect(await expireUnservedAuthorizationRequests(stage.daemonSql, 300)).to.equal(0)
    expect(await planOf(charge)).to.equal('in_flight')
    const second = await signing.sign(charge, { payer: OTHER_PAYER })
    expect(await signing.request(charge, second)).to.equal(null)
  })

  it('is executed once, by the next turn', async () => {
    await showAndDie()
    await stage.sql`update requests set created_at = now() - interval '2 minutes'`
    const { turn } = signing.cast()
    await Promise.all([turn(), signing.cast().turn()])
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
    await stage.mine()
    await signing.cast().follow()
    expect(await signing.answerOf(request)).to.deep.include({ outcome: 'mined' })
  })

  it('cannot be rejected by another daemon that read its request before the node received the signature', async () => {
    let isFirst = true
    proxy.rule(async () => {
      if (isFirst) {
        isFirst = false
        await signing.cast({ broadcast: () => Promise.resolve() }).turn()
      }
      return 'pass' as const
    })
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    expect(await signing.answerOf(request)).to.equal(null)
    const [row] = await stage.sql`select payload from requests where id = ${request}`
    expect(row?.['payload'], 'the signature is kept').to.include({ signature: written.signature })
  })

  it('is not deleted once a transaction executes it', async () => {
    await signing.cast().turn()
    expect(await deleteAuthorization(stage.daemonSql, request)).to.equal(false)
    expect(await signing.authorizations()).to.have.length(1)
  })

  it('is not retried before the retry delay has passed', async () => {
    await showAndDie()
    await signing.cast({ retrySeconds: 60 }).turn()
    expect(await stage.relayerTransactions()).to.deep.equal([])
  })

  it('counts as paid if the operator of that node executes it', async () => {
    await showAndDie()
    const hash = await signing.sendAsStranger(written)
    await stage.mine()
    const { turn, follow } = signing.cast()
    await turn()
    await follow()
    expect(await signing.answerOf(request)).to.deep.equal({ outcome: 'mined', txHash: hash })
    expect(await stage.relayerTransactions()).to.deep.equal([])
    expect(await planOf(charge), 'in flight until our ledger has the payment').to.equal('in_flight')
    await stage.settle()
    expect(await planOf(charge)).to.equal('nothing_asked')
  })

  it('expires once a block at confirmation depth is past its window and its nonce is unused', async () => {
    await showAndDie()
    const { turn, follow } = signing.cast({ rpcUrls: [stage.rpcUrl] })
    await pass(301)
    await turn()
    await follow()
    expect(await signing.answerOf(request)).to.deep.include({ param: 'validBefore' })
    expect(await planOf(charge)).to.equal('asked')
  })

  it('stays in flight, if a key made it, even when nodes report that the token rejects it', async () => {
    proxy.rule((method, [call]) => (method === 'eth_estimateGas' || isPayment(call) ? REVERTED : 'pass'))
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    expect(await planOf(charge)).to.equal('in_flight')
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('waits for the payer’s earlier signature if both were sent to nodes simultaneously', async () => {
    const other = await stage.openCharge()
    await showAndDie()
    // Simulates that the row is not committed yet, so that the other process does not see it.
    await stage.sql`update authorizations set payer = '0x0000000000000000000000000000000000000001'`
    const second = (await signing.request(other, await signing.sign(other))) ?? ''
    await showAndDie()
    await stage.sql`update authorizations set payer = ${addressOf(PAYER.address)}`
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
    await stage.mine()
    await signing.cast().follow()
    expect(await signing.answerOf(request)).to.deep.include({ outcome: 'mined' })
    await signing.cast().turn()
    await stage.mine()
    await signing.cast().follow()
    expect(await signing.answerOf(second)).to.deep.include({ outcome: 'mined' })
  })

  it('is deleted if the payer is a contract that rejects it, and other payers can then pay the charge', async () => {
    await bringAs(SAYS_NO)
    const { turn } = signing.cast()
    await turn()
    expect(await signing.answerOf(request)).to.deep.include({
      code: 'authorization_invalid',
      param: 'signature',
    })
    expect(await signing.authorizations()).to.deep.equal([])
    expect(await planOf(charge)).to.equal('asked')
    await signing.ask(charge, { payer: OTHER_PAYER })
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('stays in flight, if the payer’s own key made it, even when the payer’s code now rejects it', async () => {
    await stage.node.setCode({ address: PAYER.address, bytecode: SAYS_NO })
    await signing.cast().turn()
    expect(await planOf(charge)).to.equal('in_flight')
    await stage.node.setCode({ address: PAYER.address, bytecode: '0x' })
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('of a contract payer stays in flight if our call reverts because another sender has executed the signature', async () => {
    await bringAs(SAYS_YES)
    proxy.rule(async (method, [call, block]) => {
      // The operator of a node executes the signature. The node then lags, and returns an old state for `latest`.
      if (method === 'eth_estimateGas') await mined(signing.sendAsStranger(written))
      return isState(method, call) && block === 'latest' ? UNSPENT : 'pass'
    })
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    expect(await stage.balanceOf(charge.address)).to.equal(10_000_000n)
    expect(await planOf(charge), 'our ledger does not have the payment yet').to.equal('in_flight')
    expect(await signing.answerOf(request)).to.equal(null)
  })

  it('of a contract payer stays in flight while a plain transfer by the payer would also fail', async () => {
    await bringAs(SAYS_YES)
    let isGone = false
    proxy.rule((method, [call]) => {
      isGone ||= method === 'eth_estimateGas'
      return isGone && (method === 'eth_estimateGas' || isTransfer(call) || isPayment(call))
        ? REVERTED
        : 'pass'
    })
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    expect(await planOf(charge)).to.equal('in_flight')
    await signing.cast().turn()
    expect(await stage.relayerTransactions(), 'the payer has the balance again').to.have.length(1)
  })

  it('of a contract payer stays in flight until the end of its window is at confirmation depth', async () => {
    await bringAs(SAYS_YES)
    proxy.rule(async (method) => {
      if (method === 'eth_estimateGas') await pass(301, 1)
      return 'pass' as const
    })
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    expect(await planOf(charge)).to.equal('in_flight')
  })

  it('of a contract payer stays in flight if only one of two nodes reports that the call reverts', async () => {
    await bringAs(SAYS_YES)
    proxy.rule((method, [call]) => (method === 'eth_estimateGas' || isPayment(call) ? REVERTED : 'pass'))
    await signing.cast({ rpcUrls: [proxy.url, stage.rpcUrl] }).turn()
    expect(await planOf(charge)).to.equal('in_flight')
    await signing.cast().turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('of a contract payer that rejects it stays in flight while one of two nodes does not respond', async () => {
    await bringAs(SAYS_NO)
    proxy.rule(() => 'error')
    await signing.cast({ rpcUrls: [stage.rpcUrl, proxy.url] }).turn()
    expect(await planOf(charge)).to.equal('in_flight')
    await signing.cast().turn()
    expect(await planOf(charge)).to.equal('asked')
  })

  it('of a contract payer whose check exceeds our gas limit stays in flight, because others can still execute it', async () => {
    // Counts down from 12,000, at 26 gas each, before it approves the signature.
    await bringAs(`0x62002ee05b6001900380600457${SAYS_YES.slice(2)}`)
    await signing.cast().turn()
    expect(await planOf(charge)).to.equal('in_flight')
    expect(await stage.relayerTransactions()).to.deep.equal([])
  })

  describe('is never a signature that the service rejects because of', () => {
    for (const [title, change] of [
      ['the payer’s balance', () => signing.moveBalanceAway()],
      [
        'a token that blocks the payer',
        () => mined(stage.callToken('blacklist', [addressOf(PAYER.address)])),
      ],
      ['our empty account', () => stage.node.setBalance({ address: AUTHORIZER.address, value: 0n })],
      ['an amount that is no longer due', () => stage.sql`update charges set received_atto = 10 ^ 18`],
    ] as const) {
      it(title, async () => {
        await change()
        let isSeen = false
        proxy.rule((_method, params) => {
          isSeen ||= hasSeen(params)
          return 'pass'
        })
        await signing.cast({ rpcUrls: [proxy.url] }).turn()
        expect(await signing.answerOf(request)).to.deep.include({ outcome: 'refused' })
        expect(isSeen).to.equal(false)
        expect(await signing.authorizations()).to.deep.equal([])
      })
    }
  })

  /** Gives the payer's account this code, and signs with another account's key. */
  async function bringAs(bytecode: Hex): Promise<void> {
    await stage.node.setCode({ address: PAYER.address, bytecode })
    await cancelRequest(signing.api, request)
    written = await signing.sign(charge, { payer: OTHER_PAYER, from: addressOf(PAYER.address) })
    request = (await signing.request(charge, written)) ?? ''
  }

  /** Runs a turn that ends once the node has the signature, as if the process were killed. */
  async function showAndDie(): Promise<void> {
    proxy.rule((method) => (method === 'eth_estimateGas' ? 'lose-answer' : 'pass'))
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
    expect(await stage.relayerTransactions()).to.deep.equal([])
  }

  const mined = async (sent: Promise<unknown>): Promise<void> => {
    await sent
    await stage.mine()
  }

  const hasSeen = (params: readonly unknown[]): boolean =>
    JSON.stringify(params).includes(written.signature.slice(2, 66))

  async function planOf({ chargeId }: OpenCharge): Promise<string | null> {
    const facts = await findSignatureFacts(signing.api, { chargeId, staleAfter: STALE_AFTER })
    return facts && planAuthorization(facts, stage.time.now).type
  }

  async function pass(seconds: number, blocks = CONFIRMATIONS): Promise<void> {
    stage.advance(seconds)
    await stage.node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(stage.time.now.getTime() / 1000)) })
    await stage.mine(blocks)
  }
})

const REVERTED = { error: { code: 3, message: 'execution reverted' } }

const UNSPENT = { result: `0x${'0'.repeat(64)}` }

/** Whether the call is `transferWithAuthorization`, in either of its two forms. */
function isPayment(call: unknown): boolean {
  return dataOf(call).startsWith('0xe3ee160e') || dataOf(call).startsWith('0xcf092995')
}

function isTransfer(call: unknown): boolean {
  return dataOf(call).startsWith('0xa9059cbb')
}

/** Whether the call is `authorizationState`. */
function isState(method: string, call: unknown): boolean {
  return method === 'eth_call' && dataOf(call).startsWith('0xe94a0102')
}

function dataOf(call: unknown): string {
  const { data = '' } = Object(call) as { data?: string }
  return data
}
