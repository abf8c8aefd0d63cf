import { expect } from 'chai'
import { type Hex, pad, toEventSelector } from 'viem'
import { findSignatureFacts } from '../../../shared/db/pay-by-signature/authorization-facts.ts'
import { planAuthorization } from '../../../shared/domain/eip3009/plan-authorization.ts'
import {
  createPayBySignatureFixture,
  type OpenCharge,
  PAYER,
  type PayBySignatureFixture,
  type Written,
} from '../../support/pay-by-signature-fixture.ts'
import { addressOf, CONFIRMATIONS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { STALE_AFTER } from '../../support/rows.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

/**
 * Tests which node responses prove a use of the signed nonce, and which rows our ledger must have before the use counts
 * as a payment.
 */
describe('a use of the signed nonce', function () {
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

  for (const liar of ['first', 'second'] as const)
    it(`counts as neither mined nor ended if only the ${liar} of two nodes reports it`, async () => {
      await signing.cast({ broadcast: () => Promise.resolve() }).turn()
      await lieOf(await sendDust())
      const urls = [proxy.url, stage.rpcUrl]
      const both = { rpcUrls: liar === 'first' ? urls : urls.toReversed() }
      await signing.cast(both).follow()
      expect(await statuses()).to.deep.equal(['signed'])
      await stage.settle()
      await signing.cast(both).follow()
      expect(await statuses(), 'at any depth').to.deep.equal(['signed'])
      expect(await signing.answerOf(request)).to.equal(null)
      expect(await plan()).to.equal('in_flight')
    })

  it('does not prevent the execution of the payment if only a node that lied reported it', async () => {
    await showAndDie()
    const hash = await sendDust()
    // Simulates that a node reported this transaction as the payment.
    await stage.sql`update authorizations set tx_hash = ${hash}`
    const { turn, follow } = signing.cast()
    await follow()
    await turn()
    expect(await stage.relayerTransactions()).to.have.length(1)
  })

  it('by our transaction counts as neither mined nor ended while one of two nodes hides it', async () => {
    const { turn, relayer } = signing.cast()
    await turn()
    await stage.mine(CONFIRMATIONS)
    await relayer.turn()
    const unseen = { eth_getLogs: { result: [] }, eth_getTransactionReceipt: { result: null } }
    proxy.rule((method) => unseen[method as keyof typeof unseen] ?? 'pass')
    const both = signing.cast({ rpcUrls: [stage.rpcUrl, proxy.url] })
    await both.follow()
    expect(await statuses()).to.deep.equal(['signed'])
    expect(await signing.answerOf(request)).to.equal(null)
    proxy.rule(() => 'pass')
    await both.follow()
    expect(await statuses()).to.deep.equal(['final'])
  })

  it('is not proven by another transfer of its transaction in our ledger', async () => {
    await signing.cast().turn()
    await stage.settle()
    await signing.cast().follow()
    expect(await plan()).to.equal('nothing_asked')
    const { sql } = stage
    for (const [title, change] of [
      ['by another payer', sql`sender = '0x1'`],
      ['of another amount', sql`amount_atto = amount_atto + 1`],
      ['of another token', sql`token_address = '0x1'`],
    ] as const) {
      const planned = await sql
        .begin(async (db) => {
          await db`update transfers set ${change}`
          throw new Error(
            String(
              (await findSignatureFacts(db, { chargeId: charge.chargeId, staleAfter: STALE_AFTER }))
                ?.inFlight,
            ),
          )
        })
        .catch(({ message }: Error) => message)
      expect(planned, title).to.equal('final')
    }
  })

  /** Runs a turn that ends once the node has the signature, as if the process were killed. */
  async function showAndDie(): Promise<void> {
    proxy.rule((method) => (method === 'eth_estimateGas' ? 'lose-answer' : 'pass'))
    await signing.cast({ rpcUrls: [proxy.url] }).turn()
  }

  /** Mints one token unit to the charge. */
  async function sendDust(): Promise<Hex> {
    await stage.callToken('mint', [charge.address, 1n])
    const { transactions } = await stage.node.getBlock()
    return transactions[0] ?? '0x'
  }

  /** Makes the proxy show this transaction as the signed payment. */
  async function lieOf(transactionHash: Hex): Promise<void> {
    const asked = { method: 'eth_getTransactionReceipt', params: [transactionHash] }
    const receipt: { readonly logs: readonly object[] } = await stage.node.request(asked as never)
    const [log] = receipt.logs
    const made = { address: stage.token, data: `0x${10_000_000n.toString(16).padStart(64, '0')}` }
    const [payer, recipient] = [pad(addressOf(PAYER.address)), pad(charge.address)]
    const used = toEventSelector('AuthorizationUsed(address,bytes32)')
    const transfer = toEventSelector('Transfer(address,address,uint256)')
    proxy.rule((method, [hash]) => {
      if (method === 'eth_getLogs')
        return { result: [{ ...log, topics: [used, payer, written.nonce], data: '0x' }] }
      if (method !== 'eth_getTransactionReceipt' || hash !== transactionHash) return 'pass'
      return { result: { ...receipt, logs: [{ ...log, ...made, topics: [transfer, payer, recipient] }] } }
    })
  }

  const statuses = async () => (await signing.authorizations()).map(({ status }) => status)

  async function plan(): Promise<string | null> {
    const facts = await findSignatureFacts(signing.api, {
      chargeId: charge.chargeId,
      staleAfter: STALE_AFTER,
    })
    return facts && planAuthorization(facts, stage.time.now).type
  }
})
