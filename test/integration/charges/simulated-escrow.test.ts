import { expect } from 'chai'
import { listOpenEscrowRequests } from '../../../shared/db/escrow/escrow-requests.ts'
import { findRequestResponse } from '../../../shared/db/requests/charge-requests.ts'
import { ESCROW_ACTIONS } from '../../../shared/domain/escrow-action.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { ACCOUNTS, type DevnetAccount, toSigner } from '../../devnet/accounts.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { connectForTest } from '../../support/postgres.ts'
import {
  createSandboxFixture,
  type SandboxFixture,
  USDC_BASE,
  USDC_OPTIMISM,
} from '../../support/sandbox-fixture.ts'

const { releaser, payer2, merchant } = ACCOUNTS
const PAYER = payer2.address.toLowerCase()

describe('an escrow charge if only live networks are configured', function () {
  this.timeout(240_000)
  let stage: SandboxFixture

  before(async () => {
    stage = await createSandboxFixture()
  })
  after(() => stage.stop())

  const create = async (acceptedPayments = [USDC_BASE]): Promise<Answer['body']> => {
    const escrow = { releaserAddress: releaser.address.toLowerCase() }
    const { status, body, text } = await stage.create({ acceptedPayments, escrow })
    expect(status, text).to.equal(201)
    return body
  }
  const createPaid = async (payment: object = {}): Promise<Answer['body']> => {
    const charge = await create()
    await stage.trigger(charge.id, { event: 'charge.confirmed', ...payment })
    return charge
  }
  const prepare = (id: string, action: string) =>
    call(stage.api, `GET /v1/charges/${id}/${action}/prepare`, { key: stage.key })
  const order = (id: string, action: string, signature: string) =>
    call(stage.api, `POST /v1/charges/${id}/${action}`, { key: stage.key, body: { signature } })
  const sign = (prepared: Answer, by: DevnetAccount = releaser) =>
    toSigner(by).signTypedData(prepared.body.typedData)

  describe('after its move to a configured testnet', () => {
    /** Address of the charge's token in the testnet's configuration. The registry has another address. */
    const TOKEN = `0x${'c7'.repeat(20)}`
    before(() => stage.api.owner`update pairs set token_address = ${TOKEN} where chain_id = 84532`)
    const createThere = async (): Promise<string> => {
      const { id } = await create()
      await stage.api.owner`
        update charges set is_simulated = false, accepted_chains = '{84532}' where id = ${id}`
      return id
    }
    const payOnChain = (id: string) => stage.api.owner`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number, credited_at, on_time)
      values (${id}, 'base', 'USDC', 'contract_watcher', 84532, ${TOKEN}, ${newId('evt', Date.now())}, 0, ${PAYER},
        1, 1, true, 'included', 1, now(), true)`

    for (const action of ESCROW_ACTIONS) {
      it(`lets its releaser ${action} a balance that only the sandbox paid, without a transaction`, async () => {
        const id = await createThere()
        await stage.trigger(id, { event: 'charge.confirmed', from: PAYER })
        const prepared = await prepare(id, action)
        expect(prepared.body).to.deep.include({ amount: '10000000', nonce: '0', chainId: 84532 })
        expect(prepared.body.tokenAddress.toLowerCase()).to.equal(TOKEN)
        const moved = await order(id, action, await sign(prepared))
        expect(moved.status, moved.text).to.equal(200)
        expect(moved.body.escrow[action === 'release' ? 'releasedAt' : 'refundedAt']).to.be.a('string')
        expect(await stage.api.owner`select from escrow_orders where charge_id = ${id}`).to.have.length(0)
        expect((await stage.eventsOf(id)).at(-1)).to.equal(
          `charge.escrow_${action}${action === 'release' ? 'd' : 'ed'}`,
        )
        expectError(
          await prepare(id, action),
          `409 escrow_already_${action === 'release' ? 'released' : 'refunded'}`,
        )
      })
    }

    it('is settled by a trigger after its release', async () => {
      const id = await createThere()
      await stage.trigger(id, { event: 'charge.confirmed' })
      await order(id, 'release', await sign(await prepare(id, 'release')))
      const settled = await stage.trigger(id, { event: 'charge.settled' })
      expect(settled.body, settled.text).to.include({ settlementStatus: 'completed' })
    })

    it('is no longer simulated once it has a payment on chain: the API and the chain’s daemon process requests', async () => {
      const id = await createThere()
      await stage.trigger(id, { event: 'charge.partially_paid' })
      const prepared = await prepare(id, 'release')
      await payOnChain(id)
      // The API is not configured for the chain, so it cannot read a balance.
      expectError(await prepare(id, 'release'), '503 rpc_unavailable')
      const payload = { chainId: 84532, action: 'release', signature: await sign(prepared) }
      const requestId = newId('req', Date.now())
      await stage.api.owner`
        insert into requests (id, kind, organization_id, charge_id, payload)
        values (${requestId}, 'escrow_order', 'org_one', ${id}, ${stage.api.owner.json(payload)})`
      const [listed] = await listOpenEscrowRequests(stage.daemon, { chainId: 84532, limit: 10, putOff: [] })
      await stage.api.owner`delete from requests where id = ${requestId}`
      expect(listed?.id).to.equal(requestId)
    })
  })

  it('is released by the signature of its releaser, and settled by a trigger', async () => {
    const { id, address, addressTerms } = await createPaid()
    const early = await stage.trigger(id, { event: 'charge.settled' })
    expectError(early, '422 invalid_trigger_state')
    const prepared = await prepare(id, 'release')
    expect(prepared.body).to.deep.include({
      ...{ destination: addressTerms.splitAddress, safeAddress: address, amount: '10000000', nonce: '0' },
      ...{ chainId: 84532, tokenAddress: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
    })
    const released = await order(id, 'release', await sign(prepared))
    expect(released.status, released.text).to.equal(200)
    expect(released.body).to.include({ status: 'confirmed', settlementStatus: 'pending' })
    expect(released.body.escrow).to.include({ refundedAt: null, pendingAction: null })
    expect(released.body.escrow.releasedAt).to.be.a('string')
    const settled = await stage.trigger(id, { event: 'charge.settled' })
    expect(settled.body).to.include({ settlementStatus: 'completed' })
    expect(await stage.eventsOf(id)).to.deep.equal([
      ...['charge.created', 'charge.confirmed'],
      ...['charge.escrow_released', 'charge.settled'],
    ])
    const [told] = await stage.api.owner`
      select data::json -> 'escrow' ->> 'pendingAction' as pending from events
      where charge_id = ${id} and type = 'charge.escrow_released'`
    expect(told, 'the order was open while this row was written').to.deep.equal({ pending: null })
  })

  it('is refunded to the payer that the trigger names, or to the releaser if the trigger names none', async () => {
    const byDefault = await prepare((await createPaid()).id, 'refund')
    expect(byDefault.body.destination).to.equal(releaser.address)
    const { id } = await createPaid({ from: PAYER })
    const prepared = await prepare(id, 'refund')
    expect(prepared.body.destination).to.equal(payer2.address)
    const refunded = await order(id, 'refund', await sign(prepared))
    expect(refunded.body).to.include({ status: 'confirmed', settlementStatus: null })
    expect(refunded.body.escrow).to.include({ releasedAt: null, pendingAction: null })
    expect(refunded.body.escrow.refundedAt).to.be.a('string')
    expect((await stage.eventsOf(id)).at(-1)).to.equal('charge.escrow_refunded')
    expectError(await stage.trigger(id, { event: 'charge.settled' }), '422 invalid_trigger_state')
  })

  it('is released once, only with its releaser’s signature, and only for the signed balance', async () => {
    const { id } = await createPaid({ event: 'charge.partially_paid' })
    const stale = await prepare(id, 'release')
    expect(stale.body.amount).to.equal('5000000')
    await stage.trigger(id, { event: 'charge.confirmed' })
    const fresh = await prepare(id, 'release')
    for (const signature of [await sign(stale), await sign(fresh, merchant)]) {
      expectError(await order(id, 'release', signature), '400 escrow_invalid_signature', 'signature')
    }
    expect((await order(id, 'release', await sign(fresh))).status).to.equal(200)
    for (const action of ESCROW_ACTIONS) {
      expectError(await prepare(id, action), '409 escrow_already_released')
      expectError(await order(id, action, '0x00'), '409 escrow_already_released')
    }
  })

  it('is not released by an order that the API’s database role wrote and the releaser did not sign', async () => {
    const { id } = await createPaid()
    const signature = await sign(await prepare(id, 'release'), merchant)
    const requestId = newId('req', Date.now())
    const payload = stage.api.owner.json({ chainId: 84532, action: 'release', signature })
    const asApi = connectForTest(stage.api.database.url.api)
    await asApi`
      insert into requests (id, kind, organization_id, charge_id, payload)
      values (${requestId}, 'escrow_order', 'org_one', ${id}, ${payload})`
    await asApi.end()
    const answer = await waitFor(() => findRequestResponse(stage.daemon, requestId), {
      what: 'the response',
      timeoutMs: 60_000,
    })
    expect(answer).to.deep.include({ outcome: 'refused', code: 'escrow_invalid_signature' })
    expect((await stage.read(id)).body.escrow).to.include({ releasedAt: null, pendingAction: null })
  })

  it('cannot be released before it is paid, or if it was paid on two pairs', async () => {
    const { id } = await create([USDC_BASE, USDC_OPTIMISM])
    expectError(await prepare(id, 'release'), '422 escrow_empty')
    await stage.trigger(id, { event: 'charge.partially_paid' })
    await stage.trigger(id, { event: 'charge.confirmed', ...USDC_OPTIMISM })
    expectError(await prepare(id, 'release'), '422 escrow_multiple_payment_pairs')
  })

  it('ignores dust on a second pair, is not refunded to the sender of dust, and cannot be refunded if it holds only dust', async () => {
    const { id } = await create([USDC_BASE, USDC_OPTIMISM])
    const dust = { event: 'charge.partially_paid', amount: 0.05, from: merchant.address.toLowerCase() }
    const paid = await stage.trigger(id, { ...dust, ...USDC_OPTIMISM })
    expect(paid.status, paid.text).to.equal(200)
    expectError(await prepare(id, 'refund'), '422 escrow_empty')
    await stage.trigger(id, { event: 'charge.confirmed', amount: 10, from: PAYER })
    await stage.trigger(id, { event: 'charge.overpaid', amount: 0.04, from: merchant.address.toLowerCase() })
    const { body } = await prepare(id, 'refund')
    expect(body).to.deep.include({ destination: payer2.address, chainId: 84532 })
    expect(body.destinationFrom).to.include({ txHash: null, amount: '10000000' })
  })

  it('is released if the request contains the signed amount, even if dust has arrived after the signature', async () => {
    const { id } = await createPaid()
    const prepared = await prepare(id, 'release')
    const signature = await sign(prepared)
    await stage.trigger(id, { event: 'charge.overpaid', amount: 0.05, from: PAYER })
    expectError(await order(id, 'release', signature), '400 escrow_invalid_signature', 'signature')
    const { amount } = prepared.body
    const body = { signature, amount }
    const released = await call(stage.api, `POST /v1/charges/${id}/release`, { key: stage.key, body })
    expect(released.body.escrow?.releasedAt, released.text).to.be.a('string')
  })

  it('has no payout, ledger, escrow order or keeper event after its release', async () => {
    const { id } = await createPaid()
    await order(id, 'release', await sign(await prepare(id, 'release')))
    const [rows] = await stage.api.owner`
      select (select count(*) from payouts where charge_id = ${id}) as payouts,
        (select count(*) from charge_ledgers where charge_id = ${id}) as ledgers,
        (select count(*) from escrow_orders where charge_id = ${id}) as orders,
        (select count(*) from events where category = 'distributions') as offers`
    expect(rows).to.deep.equal({ payouts: 0, ledgers: 0, orders: 0, offers: 0 })
  })

  describe('without a running daemon', () => {
    it('shows a pending order, and drops the order if it is not processed within five minutes', async () => {
      const { id } = await createPaid()
      const signature = await sign(await prepare(id, 'release'))
      await stage.stopDaemon()
      const ordered = order(id, 'release', signature)
      const request = await waitFor(
        async () =>
          (
            await stage.api.owner`select id from requests where charge_id = ${id} and responded_at is null`
          )[0],
        { what: 'the order to be recorded', timeoutMs: 60_000 },
      )
      expect((await stage.read(id)).body.escrow).to.include({ releasedAt: null, pendingAction: 'release' })
      const open = await listOpenEscrowRequests(stage.daemon, { chainId: 84532, limit: 10, putOff: [] })
      expect(open).to.deep.equal([])
      await stage.api
        .owner`update requests set created_at = now() - interval '301 seconds' where id = ${request['id']}`
      expect((await stage.read(id)).body.escrow).to.include({ releasedAt: null, pendingAction: null })
      stage.startDaemon()
      expectError(await ordered, '503 service_unavailable')
      expect((await stage.read(id)).body.escrow).to.include({ releasedAt: null, pendingAction: null })
    })
  })
})
