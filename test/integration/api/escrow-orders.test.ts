import { expect } from 'chai'
import { numberToHex, toFunctionSelector } from 'viem'
import { ESCROW_ACTIONS } from '../../../shared/domain/escrow-action.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import type { TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { BALANCE, BLOCK, type FundedEscrows, startFundedEscrows, WORD } from '../../support/funded-escrow.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { type RpcFate, startRpcProxy } from '../../support/rpc-proxy.ts'

/** In atomic units, slightly less than 1 percent of the charge. */
const DUST = 99_999n
const STRANGER = `0x${'99'.repeat(20)}`

/*
 * Tests how the endpoints handle a funded escrow, with simulated responses of the daemon and the node.
 * test/e2e/escrow.test.ts uses real Safes on chains.
 */
describe('orders of a funded escrow', () => {
  let escrows: FundedEscrows
  let api: TestApi
  let key: string

  before(async () => {
    escrows = await startFundedEscrows()
    ;({ api, key } = escrows)
  })

  after(() => escrows.stop())

  beforeEach(() => {
    escrows.reset()
  })

  for (const action of ESCROW_ACTIONS) {
    describe(action, () => {
      let id: string

      beforeEach(async () => {
        id = await escrows.create()
      })

      const prepare = () => call(api, `GET /v1/charges/${id}/${action}/prepare`, { key })
      const order = (signature: string, rest: { readonly amount?: string } = {}) =>
        call(api, `POST /v1/charges/${id}/${action}`, { key, body: { signature, ...rest } })

      const sign = async (prepared: Answer, who = ACCOUNTS.releaser): Promise<string> =>
        toSigner(who).sign({ hash: prepared.body.safeTxHash })

      it('is prepared for the whole balance', async () => {
        const { status, body } = await prepare()
        expect(status).to.equal(200)
        expect(body).to.deep.include({ amount: String(BALANCE), chainId: 8453, nonce: '0' })
      })

      it('returns the charge after the daemon has processed it', async () => {
        const ordered = order(await sign(await prepare()))
        await answerOrder({ outcome: 'mined' })
        expect([(await ordered).status, (await ordered).body.id]).to.deep.equal([200, id])
      })

      it('is rejected with the daemon’s reason', async () => {
        const ordered = order(await sign(await prepare()))
        const code = 'recipient_transfer_restricted'
        await answerOrder({ outcome: 'refused', code, message: 'the issuer forbids the transfer' })
        expectError(await ordered, '422 recipient_transfer_restricted')
      })

      it('is rejected while the same order is in progress', async () => {
        const signature = await sign(await prepare())
        const first = order(signature)
        await openOrder()
        expectError(await order(signature), '409 request_in_progress')
        await answerOrder({ outcome: 'mined' })
        expect((await first).status).to.equal(200)
      })

      it('is shown as pending until the charge shows the release or refund', async () => {
        const ordered = order(await sign(await prepare()))
        await openOrder()
        expect(await pendingAction()).to.equal(action)
        // The order's transaction is mined, but not confirmed yet.
        await escrows.insertOrder(id, { action, status: 'mined' })
        await answerOrder({ outcome: 'mined' })
        expect((await ordered).body.escrow).to.include({
          releasedAt: null,
          refundedAt: null,
          pendingAction: action,
        })
        await api.owner`update escrow_orders set status = 'final' where charge_id = ${id}`
        expect(await pendingAction()).to.equal(action)
        const column = action === 'release' ? 'escrow_released_at' : 'escrow_refunded_at'
        await api.owner`update charges set ${api.owner(column)} = now() where id = ${id}`
        expect(await pendingAction()).to.equal(null)
      })

      it('is not shown as pending if it was rejected, reverted, lost or not claimed within five minutes', async () => {
        expect(await pendingAction()).to.equal(null)
        const ordered = order(await sign(await prepare()))
        const requestId = await openOrder()
        await api.owner`update requests set created_at = now() - interval '301 seconds' where id = ${requestId}`
        expect(await pendingAction(), 'too late').to.equal(null)
        await api.owner`update requests set consumed_at = now() where id = ${requestId}`
        expect(await pendingAction(), 'claimed in time').to.equal(action)
        const message = 'the issuer forbids the transfer'
        await answerOrder({ outcome: 'refused', code: 'recipient_transfer_restricted', message })
        expect((await ordered).status).to.equal(422)
        for (const status of ['reverted', 'failed']) {
          await escrows.insertOrder(id, { action, status })
          expect(await pendingAction(), status).to.equal(null)
        }
      })

      const pendingAction = async (): Promise<unknown> =>
        (await call(api, `GET /v1/charges/${id}`, { key })).body.escrow.pendingAction

      it('is accepted, and sent to the daemon with the signed amount, after a third party sent dust', async () => {
        const signature = await sign(await prepare())
        escrows.safe.balance = BALANCE + DUST
        expectError(await order(signature), '400 escrow_invalid_signature', 'signature')
        const ordered = order(signature, { amount: String(BALANCE) })
        await openOrder()
        const [request] = await api.owner`select payload from requests where charge_id = ${id}`
        expect(request?.['payload']).to.include({ amountAtomic: String(BALANCE) })
        await answerOrder({ outcome: 'mined' })
        expect((await ordered).status).to.equal(200)
      })

      it('is rejected for an amount above the balance, and for an amount that leaves more than dust', async () => {
        const signature = await sign(await prepare())
        for (const other of [BALANCE - 1n, BALANCE + DUST + 1n]) {
          escrows.safe.balance = other
          const refused = await order(signature, { amount: String(BALANCE) })
          expectError(refused, '400 escrow_invalid_signature', 'amount')
        }
        for (const amount of ['0', '-1', '1.5', '1e3', '', '1'.repeat(79)]) {
          expectError(await order(signature, { amount }), '400 validation_error', 'amount')
        }
      })

      it('is prepared for the paid pair despite a third party’s dust on another pair', async () => {
        await escrows.credit(id, { token: 'USDT', sender: STRANGER, dollars: 0.09 })
        const { status, body } = await prepare()
        expect(status).to.equal(200)
        expect(body.tokenAddress.toLowerCase()).to.equal('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913')
      })

      it('is rejected if one sender’s transfers on another pair add up to more than dust', async () => {
        await escrows.credit(id, { token: 'USDT', sender: STRANGER, dollars: 0.05 })
        await escrows.credit(id, { token: 'USDT', sender: STRANGER, dollars: 0.05 })
        expectError(await prepare(), '422 escrow_multiple_payment_pairs')
      })

      it('is still prepared after the releaser made a partial transfer on chain', async () => {
        await api.owner`
          insert into escrow_transfers (charge_id, action, chain_id, token_address, tx_hash, ordinal, recipient,
            amount_atomic, inclusion, block_number, block_hash, block_timestamp, log_index, applied_at)
          select charge_id, 'refund', chain_id, token_address, '0x1', 0, '0x1', 2000000, 'included', 1, '0x', 1, 0, now()
          from transfers where charge_id = ${id}`
        expect((await prepare()).status).to.equal(200)
      })

      it('is rejected after another order is mined, until the ledger contains the order’s transfer', async () => {
        await escrows.insertOrder(id, { action, status: 'mined' })
        const code = action === 'release' ? '409 escrow_already_released' : '409 escrow_already_refunded'
        expectError(await prepare(), code)
        // Only dust was transferred, so the escrow has not ended.
        await api.owner`
          insert into escrow_transfers (charge_id, action, chain_id, token_address, tx_hash, ordinal, recipient,
            amount_atomic, inclusion, block_number, block_hash, block_timestamp, log_index, applied_at)
          values (${id}, 'refund', 8453, '0x1', '0x1', 0, '0x1', 1, 'included', 1, '0x', 1, 0, now())`
        expect((await prepare()).status).to.equal(200)
        expect(await pendingAction()).to.equal(null)
      })

      for (const [place, which] of ['first', 'second'].entries())
        it(`returns 503 while the ${which} of two nodes reports another state or does not respond`, async () => {
          const signature = await sign(await prepare())
          const path = `/v1/charges/${id}/${action}`
          const askBoth = (pair: TestApi) =>
            Promise.all([
              call(pair, `GET ${path}/prepare`, { key }),
              call(pair, `POST ${path}`, { key, body: { signature } }),
            ])
          for (const [title, report] of LIES) {
            const both = await withTwoNodes({ place, report }, askBoth)
            for (const refused of both) expect(refused.text, title).to.include('rpc_unavailable')
          }
          const honest = await withTwoNodes(
            { place, report: (_method, _params, result) => ({ result }) },
            (pair) => call(pair, `GET ${path}/prepare`, { key }),
          )
          expect(honest.status).to.equal(200)
        })

      it('requires the releaser’s signature', async () => {
        const prepared = await prepare()
        const foreign = await sign(prepared, ACCOUNTS.merchant)
        expectError(await order(foreign), '400 escrow_invalid_signature', 'signature')
        expectError(await order('0x00'), '400 escrow_invalid_signature', 'signature')
      })

      it('is rejected for a Safe that the releaser no longer controls exclusively', async () => {
        const signature = await sign(await prepare())
        escrows.safe.threshold = 2n
        expectError(await prepare(), '422 escrow_safe_mismatch')
        expectError(await order(signature), '422 escrow_safe_mismatch')
      })

      it('is rejected for a Safe with a guard', async () => {
        const signature = await sign(await prepare())
        escrows.safe.guard = 1n
        expectError(await prepare(), '422 escrow_safe_mismatch')
        expectError(await order(signature), '422 escrow_safe_mismatch')
      })

      it('is rejected after two orders were mined and reverted', async () => {
        const signature = await sign(await prepare())
        await insertReverted(id)
        expect((await prepare()).status, 'one reverted order might be an accident').to.equal(200)
        await insertReverted(id)
        for (const refused of [await prepare(), await order(signature)]) {
          expectError(refused, '422 escrow_safe_mismatch')
          expect(refused.text).to.contain('the releaser can move the money on chain')
        }
      })

      const openOrder = () => escrows.openOrder(id)
      const answerOrder = (answer: object) => escrows.answerOrder(id, answer)
    })
  }

  it('refund the last payer, and show that payment, despite later dust from others', async () => {
    const id = await escrows.create()
    const prepare = async () => (await call(api, `GET /v1/charges/${id}/refund/prepare`, { key })).body
    await escrows.credit(id, { sender: STRANGER, dollars: 0.09 })
    const prepared = await prepare()
    expect(prepared.destination.toLowerCase()).to.equal(ACCOUNTS.payer.address.toLowerCase())
    expect(prepared.destinationFrom).to.include({ amount: String(BALANCE), at: '2027-01-15T08:00:00.000Z' })
    await escrows.credit(id, { sender: STRANGER, dollars: 0.01 })
    const diverted = await prepare()
    expect(diverted.destination.toLowerCase(), 'no longer dust').to.equal(STRANGER)
    expect(diverted.destinationFrom).to.include({ amount: '10000' })
    const release = await call(api, `GET /v1/charges/${id}/release/prepare`, { key })
    expect(release.body.destinationFrom).to.equal(null)
  })

  it('refund an escrow with only dust to the last sender', async () => {
    const id = await escrows.create(0.05)
    await escrows.credit(id, { sender: STRANGER, dollars: 0.09 })
    escrows.safe.balance = 140_000n
    const { body } = await call(api, `GET /v1/charges/${id}/refund/prepare`, { key })
    expect(body.destination.toLowerCase()).to.equal(STRANGER)
  })

  it('do not refund a payment that is not credited yet to the sender of dust', async () => {
    const id = await escrows.create(0)
    await escrows.credit(id, { sender: STRANGER, dollars: 0.09 })
    const { status, body } = await call(api, `GET /v1/charges/${id}/refund/prepare`, { key })
    expect({ status, code: body.error.code }).to.deep.equal({ status: 422, code: 'escrow_empty' })
    const release = await call(api, `GET /v1/charges/${id}/release/prepare`, { key })
    expect(release.body.amount).to.equal('10000000')
  })

  /** Calls `run` with another API, whose second node, at position `place`, responds with the result of `report`. */
  async function withTwoNodes<T>(
    { place, report }: { readonly place: number; readonly report: Report },
    run: (pair: TestApi) => Promise<T>,
  ): Promise<T> {
    const other = await startRpcProxy('http://127.0.0.1:9')
    other.rule((method, params) => report(method, params, escrows.answerOf(method, params)))
    const rpcUrls = [escrows.node.url].toSpliced(place, 0, other.url)
    const { baseUrl, stop } = await api.startAnother((config) => ({
      ...config,
      deployments: config.deployments.map((one) => ({ ...one, ...nodesAt(rpcUrls, 2) })),
    }))
    try {
      return await run({ ...api, baseUrl })
    } finally {
      await stop()
      await other.stop()
    }
  }

  const insertReverted = (chargeId: string): Promise<void> =>
    escrows.insertOrder(chargeId, { action: 'release', status: 'reverted' })
})

type Report = (method: string, params: readonly unknown[], honest: unknown) => RpcFate

/** Responses of a faulty node about the Safe. */
const LIES: readonly (readonly [string, Report])[] = [
  ['another balance', reportCall('balanceOf(address)', BALANCE - 1n)],
  ['another nonce', reportCall('nonce()', 7n)],
  ['another threshold', reportCall('getThreshold()', 2n)],
  ['another block', (method, _, result) => ({ result: method.startsWith('eth_getBlock') ? FORK : result })],
  ['nothing', () => 'error'],
]

const FORK = { ...BLOCK, hash: `0x${'b2'.repeat(32)}` }

function reportCall(signature: string, value: bigint): Report {
  return (_method, [subject], result) => {
    const { data = '' } = Object(subject) as { data?: string }
    return { result: data.startsWith(toFunctionSelector(signature)) ? numberToHex(value, WORD) : result }
  }
}
