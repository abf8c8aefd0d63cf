import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { requestRefund } from '../../../api/refunds/request-refund.ts'
import { createCheckedChain } from '../../../indexer/corroboration/checked-chain.ts'
import { createRefundWorker } from '../../../indexer/refunds/refund-worker.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { RefundPayload } from '../../../shared/db/refunds/refund-requests.ts'
import { type Address, checksum } from '../../../shared/domain/address.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { createLoop, type Loop } from '../../../shared/runtime/poll-loop.ts'
import { address, MERCHANT } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { MINIMUM_PAYOUT } from '../../support/factories.ts'
import { createIssuerFixture, type IssuerFixture } from '../../support/issuer-fixture.ts'
import { connectForTest } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'

const ON_BASE = { token: 'USDC', network: 'base' }
const USDT_ON_BASE = { token: 'USDT', network: 'base' }
const SCOPES = ['charges:read', 'charges:write', 'refunds:write'] as const

describe('refunds of a charge', function () {
  this.timeout(240_000)
  let stage: IssuerFixture
  let daemon: Sql
  let loop: Loop
  let key: string
  let keys = 0
  /** A new address for each test, because no two equal refunds may be open. */
  let payer: Address
  /** Replaces the daemon’s search of the chain for a refund’s transfer. */
  let search: () => Promise<void>

  before(async () => {
    stage = await createIssuerFixture()
    ;({ key } = await stage.api.issueKey({ scopes: SCOPES }))
    daemon = connectForTest(stage.api.database.url.daemon)
    const { log } = recordingLog()
    const chains = stage.api.config.deployments
      .filter(({ chainId }) => chainId === 8453)
      .map((deployment) => createCheckedChain(deployment))
    const worker = createRefundWorker({
      ...{ sql: daemon, log, now: () => new Date(), onEvents: () => undefined, chains },
      ...{ checkoutBaseUrl: null, swapProvider: null, minimumPayoutOf: () => MINIMUM_PAYOUT },
      ...{ check: () => search(), onFree: () => undefined },
    })
    loop = createLoop({ name: 'refunds', intervalMs: 20, turn: worker.turn, log })
    loop.start()
  })
  after(async () => {
    await loop.stop()
    await daemon.end()
    await stage.close()
  })
  beforeEach(() => {
    payer = address(`0x${randomBytes(20).toString('hex')}`)
    search = () => Promise.resolve()
  })
  afterEach(() => stage.node.rule(() => 'pass'))

  /** Builds the body of a refund of one dollar, with a new idempotency key. */
  const bodyOf = (change: object = {}) => {
    keys += 1
    return { amount: '1', destination: { address: payer }, idempotencyKey: `key-${keys}`, ...change }
  }
  const refund = (id: string, change: object = {}, withKey = key): Promise<Answer> =>
    call(stage.api, `POST /v1/charges/${id}/refunds`, { key: withKey, body: bodyOf(change) })
  const ask = (request: string, body?: unknown): Promise<Answer> => call(stage.api, request, { key, body })

  const refundableOf = async (id: string) => (await ask(`GET /v1/charges/${id}`)).body.refundable

  /** Creates a charge of 10 dollars that was paid with these amounts, in units with 6 decimals. */
  async function pay(paid: Readonly<Record<string, bigint>> = { USDC: 10_000_000n }): Promise<string> {
    const { id } = await create()
    const { owner } = stage.api
    for (const [token, amount] of Object.entries(paid))
      await owner`
        insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic)
        select ${id}, network, token, chain_id, token_address, ${owner.types.numeric(amount)} from pairs
        where token = ${token} and network = 'base' and environment = 'live'`
    const total = Object.values(paid).reduce((sum, amount) => sum + amount, 0n)
    await owner`
      update charges set status = 'confirmed', confirmed_at = now(),
        received_atto = ${owner.types.numeric(total * 10n ** 12n)},
        paid_with = ${Object.keys(paid).map((token) => `${token}/base`)}
      where id = ${id}`
    return id
  }

  async function create(): Promise<{ readonly id: string; readonly address: Address }> {
    const body = { amount: 10, expiresIn: 600, acceptedPayments: [ON_BASE, USDT_ON_BASE] }
    const { body: charge } = await ask('POST /v1/charges', body)
    return { id: charge.id, address: address(charge.address.toLowerCase()) }
  }

  /** Sends a request to the daemon without the API, so that no issuer is queried and no response is cached. */
  const order = (chargeId: string, payload: RefundPayload) =>
    requestRefund(
      stage.api.owner,
      { key: { organizationId: 'org_one', now: new Date() }, requestId: crypto.randomUUID() },
      { chargeId, payload },
    )

  it('are declared with the transfer that the wallet must send, and shown with the charge', async () => {
    const id = await pay()
    const { status, body } = await refund(id, { amount: '2.5', reason: 'requested_by_customer' })
    expect(status).to.equal(201)
    const word = (value: string) => value.padStart(64, '0')
    expect(body).to.deep.include({
      ...{
        chargeId: id,
        status: 'awaiting_payment',
        amount: 2.5,
        amountExact: '2.5',
        amountAtomic: '2500000',
      },
      ...{ decimals: 6, amountCountedExact: null, ...ON_BASE, simulated: false, from: checksum(MERCHANT) },
      ...{ destination: checksum(payer), reason: 'requested_by_customer', txHash: null, confirmedAt: null },
    })
    expect(body.payment).to.deep.include({
      ...{ chainId: 8453, value: '0' },
      data: `0xa9059cbb${word(payer.slice(2))}${word((2_500_000).toString(16))}`,
    })
    expect(body.payment.uri).to.equal(
      `ethereum:${body.payment.to}@8453/transfer?address=${checksum(payer)}&uint256=2500000`,
    )
    const { claimUrl, ...shown } = body
    expect(claimUrl).to.equal(null)
    expect((await ask(`GET /v1/charges/${id}/refunds`)).body).to.deep.equal([shown])
    expect((await ask(`GET /v1/refunds/${body.id}`)).body).to.deep.equal(shown)
    const { body: charge } = await ask(`GET /v1/charges/${id}`)
    expect(charge).to.deep.include({ amountRefunded: 0, amountRefundedExact: '0', status: 'confirmed' })
    expect(charge.refunds).to.deep.equal([
      {
        ...{ id: body.id, status: 'awaiting_payment', ...ON_BASE, amount: 2.5, amountExact: '2.5' },
        ...{ destination: checksum(payer), txHash: null },
      },
    ])
    const { body: timeline } = await ask(`GET /v1/charges/${id}/timeline`)
    expect(timeline.at(-1)).to.deep.include({
      type: 'refund.declared',
      refundId: body.id,
      amountExact: '2.5',
    })
  })

  it('return the whole remaining amount for `all`, and the excess for `overpayment`', async () => {
    const id = await pay({ USDC: 13_500_001n })
    expect((await refund(id, { amount: 'overpayment' })).body.amountExact).to.equal('3.500001')
    expectError(await refund(id, { amount: 'overpayment' }), '422 nothing_received')
    expect((await refund(id, { amount: 'all' })).body.amountExact).to.equal('10')
    expectError(await refund(id, { amount: 'all' }), '422 nothing_received')
  })

  it('never exceed the amount that the charge received, even if thirty refunds are declared simultaneously', async () => {
    const id = await pay()
    const amounts = Array.from({ length: 30 }, (_, at) => `${2 + at / 1000}`)
    const answers = await Promise.all(amounts.map((amount) => refund(id, { amount })))
    const made = answers.filter(({ status }) => status === 201)
    const codes = new Set(answers.map(({ body }) => body.error?.code))
    expect([...codes]).to.include.members(['refund_exceeds_received'])
    const total = made.reduce((sum, { body }) => sum + BigInt(body.amountAtomic), 0n)
    expect(made.length).to.equal(4)
    expect(total < 10_000_000n).to.equal(true)
    const refused = await refund(id, { amount: '9' })
    expectError(refused, '422 refund_exceeds_received', 'amount')
    expect(refused.body.error.message).to.match(/^9 exceeds the refundable amount 1\.\d+$/)
  })

  it('are declared once per idempotency key', async () => {
    const id = await pay()
    const first = await refund(id, { idempotencyKey: 'once' })
    const again = await refund(id, { idempotencyKey: 'once', amount: '1.00' })
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
    expect(again.body).to.deep.equal(first.body)
    const other = await refund(id, { idempotencyKey: 'once', amount: '2' })
    expectError(other, '409 idempotency_key_reused', 'idempotencyKey')
  })

  it('are rejected while their transfer could also pay another open refund', async () => {
    const [id, another] = [await pay(), await pay()]
    const { body } = await refund(id, { amount: '4' })
    expectError(await refund(id, { amount: '4' }), '409 refund_ambiguous')
    expectError(await refund(another, { amount: '4' }), '409 refund_ambiguous')
    expect((await ask(`POST /v1/refunds/${body.id}/cancel`)).body).to.include({
      status: 'canceled',
      payment: null,
    })
    expect((await refund(another, { amount: '4' })).status).to.equal(201)
  })

  it('are allowed although another organization has an equal open refund', async () => {
    const { key: strange } = await stage.api.issueKey({ organization: 'org_two', scopes: SCOPES })
    const id = await pay()
    await refund(id, { amount: '6' })
    const { body } = await call(stage.api, 'POST /v1/charges', {
      key: strange,
      body: { amount: 10, expiresIn: 600, acceptedPayments: [ON_BASE] },
    })
    await stage.api.owner`
      insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic)
      select ${body.id}, network, token, chain_id, token_address, credited_atomic from charge_ledgers where charge_id = ${id}`
    await stage.api.owner`
      update charges set status = 'confirmed', confirmed_at = now() where id = ${body.id}`
    expect((await refund(body.id, { amount: '6' }, strange)).status).to.equal(201)
  })

  it('are limited to 20 open or confirmed refunds per charge; a canceled refund no longer counts', async () => {
    const id = await pay({ USDC: 30_000_000n })
    const amounts = Array.from({ length: 20 }, (_, at) => `${(1001 + at) / 1000}`)
    let last = ''
    for (const amount of amounts) last = (await refund(id, { amount })).body.id
    expectError(await refund(id), '422 refund_limit_reached')
    await ask(`POST /v1/refunds/${last}/cancel`)
    expect((await refund(id)).status).to.equal(201)
  })

  it('require a pair if the charge was paid on several pairs', async () => {
    const id = await pay({ USDC: 6_000_000n, USDT: 4_000_000n })
    expectError(await refund(id), '422 payment_pair_required', 'token')
    expect((await refund(id, USDT_ON_BASE)).body).to.include(USDT_ON_BASE)
    expectError(await refund(id, { ...USDT_ON_BASE, amount: '4' }), '422 refund_exceeds_received', 'amount')
    expectError(await refund(id, { token: 'USDC', network: 'bnb' }), '422 nothing_received')
  })

  it('cannot exceed the amount that their charge shows as refundable on the pair', async () => {
    const id = await pay({ USDC: 6_000_000n, USDT: 4_000_000n })
    const { body } = await refund(id, { ...ON_BASE, amount: '2.5' })
    const onUsdt = { ...USDT_ON_BASE, amount: 4, amountExact: '4' }
    expect(await refundableOf(id)).to.deep.equal([{ ...ON_BASE, amount: 3.5, amountExact: '3.5' }, onUsdt])
    expectError(await refund(id, { ...ON_BASE, amount: '3.500001' }), '422 refund_exceeds_received', 'amount')
    expect((await refund(id, { ...ON_BASE, amount: '3.5' })).status).to.equal(201)
    expect(await refundableOf(id)).to.deep.equal([onUsdt])
    await ask(`POST /v1/refunds/${body.id}/cancel`)
    expect(await refundableOf(id)).to.deep.equal([{ ...ON_BASE, amount: 2.5, amountExact: '2.5' }, onUsdt])
    const { body: page } = await ask('GET /v1/charges?limit=1')
    expect(page.data[0]).to.include({ id }).and.not.to.have.property('refundable')
  })

  it('must not have more decimals than the token, and must reach the minimum payout unless they return the whole remaining amount', async () => {
    const id = await pay()
    expectError(await refund(id, { amount: '1.0000001' }), '400 validation_error', 'amount')
    expectError(await refund(id, { amount: '0' }), '400 validation_error', 'amount')
    expectError(await refund(id, { amount: '-1' }), '400 validation_error', 'amount')
    expectError(await refund(id, { amount: '0.000001' }), '400 invalid_amount', 'amount')
    await refund(id, { amount: '9.999999' })
    expect((await refund(id, { amount: '0.000001' })).status).to.equal(201)
  })

  it('are rejected until the charge has ended and its escrow is released', async () => {
    const { id } = await create()
    expectError(await refund(id), '409 charge_still_open')
    const open = await pay({ USDC: 3_000_000n })
    await stage.api.owner`
      update charges set status = 'partially_paid', confirmed_at = null where id = ${open}`
    expectError(await refund(open), '409 charge_still_open')
    expect(await refundableOf(open)).to.equal(undefined)
    const held = await pay()
    await stage.api.owner`
      update charges set escrow_releaser = ${payer}, escrow_fee_percent = 0 where id = ${held}`
    expectError(await refund(held), '422 escrow_not_released')
    expect(await refundableOf(held)).to.deep.equal([])
    await stage.api.owner`update charges set escrow_released_at = now() where id = ${held}`
    expectError(await refund(held), '422 nothing_received')
    await stage.api.owner`update charge_ledgers set distributed_atomic = 3000000 where charge_id = ${held}`
    expect(await refundableOf(held)).to.deep.equal([{ ...ON_BASE, amount: 3, amountExact: '3' }])
    expect((await refund(held, { amount: 'all' })).body.amountExact).to.equal('3')
  })

  describe('to a destination', () => {
    const to = (id: string, destination: string, change: object = {}) =>
      refund(id, { ...change, destination: { address: destination } })

    it('are rejected if the destination would lose the money or belongs to the merchant or this service', async () => {
      const id = await pay()
      const { body: charge } = await ask(`GET /v1/charges/${id}`)
      const other = await create()
      const token = stage.api.config.deployments
        .find(({ chainId }) => chainId === 8453)
        ?.tokens.find((one) => one.token === 'USDC')?.address
      const [row] = await stage.api.owner<{ tokenAddress: string }[]>`
        select token_address from charge_ledgers where charge_id = ${id}`
      const wallet = `0x${'8c'.repeat(20)}`
      await stage.api.owner`
        insert into recipients (id, organization_id, environment, address, family, payout)
        values ('rc_own', 'org_one', 'live', ${wallet}, 'evm', true)`
      await stage.api.owner`
        insert into relayers (chain_id, address, next_nonce) values (8453, ${`0x${'9d'.repeat(20)}`}, 0)`
      await stage.api.owner`
        insert into trusted_factories (family, environment, factory) values ('evm', 'live', ${`0x${'9e'.repeat(20)}`})`
      const bad = [
        ...[wallet, `0x${'9d'.repeat(20)}`, `0x${'9e'.repeat(20)}`],
        ...[`0x${'0'.repeat(40)}`, `0x${'0'.repeat(38)}09`, MERCHANT, charge.address],
        ...[
          charge.addressTerms.factory,
          charge.addressTerms.recipients.at(-1).address,
          checksum(other.address),
        ],
        row?.tokenAddress ?? '',
      ]
      expect(token).to.be.a('string')
      for (const one of bad)
        expectError(await to(id, one), '422 destination_not_allowed', 'destination.address')
    })

    it('are rejected if the destination is misspelled or belongs to another chain family', async () => {
      const id = await pay()
      for (const one of ['0x12', flipCase(checksum(payer)), 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'])
        expectError(await to(id, one), '400 validation_error', 'destination.address')
    })

    it('are rejected if the issuer restricts the destination', async () => {
      const id = await pay()
      const blocked = address(`0x${'5a'.repeat(20)}`)
      await stage.restrict(blocked, 'base')
      expectError(await to(id, blocked), '422 recipient_transfer_restricted', 'destination.address')
    })

    it('are returned again for their idempotency key, even if the issuer now restricts the destination', async () => {
      const id = await pay()
      const body = { amount: '1', reason: 'other', idempotencyKey: 'before-the-restriction' } as const
      const unnamed = { token: null, network: null, from: null, claimHash: null }
      const { refundId } = await order(id, { action: 'declare', ...body, ...unnamed, destination: payer })
      await stage.restrict(payer, 'base')
      const again = await to(id, payer, body)
      expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
      expect(again.body.id).to.equal(refundId)
      const other = await to(id, payer, { ...body, amount: '2' })
      expectError(other, '409 idempotency_key_reused', 'idempotencyKey')
      expectError(await to(id, payer), '422 recipient_transfer_restricted', 'destination.address')
    })
  })

  it('may be paid only from the payout address of the charge, or from a payout recipient', async () => {
    const id = await pay()
    const wallet = address(`0x${'7b'.repeat(20)}`)
    expectError(await refund(id, { from: wallet }), '400 validation_error', 'from')
    expectError(await refund(id, { from: 'me' }), '400 validation_error', 'from')
    await stage.api.owner`
      insert into recipients (id, organization_id, environment, address, family, payout)
      values ('rc_wallet', 'org_one', 'live', ${wallet}, 'evm', true)`
    expect((await refund(id, { from: wallet })).body).to.include({ from: checksum(wallet) })
  })

  it('are declared only if the chain’s head can be read, because transfers before the refund must not count', async () => {
    const id = await pay()
    stage.node.rule(() => 'error')
    expectError(await refund(id), '503 rpc_unavailable')
    stage.node.rule(() => 'pass')
    const { body } = await refund(id)
    expect((await ask(`POST /v1/refunds/${body.id}/check`)).body).to.include({ id: body.id })
  })

  it('accept one request at a time per charge', async () => {
    const { chargeId, id } = (await refund(await pay(), { amount: '6' })).body
    const { owner } = stage.api
    await owner`
      insert into requests (id, kind, organization_id, charge_id, payload, consumed_at)
      values (${newId('req', Date.now())}, 'refund', 'org_one', ${chargeId}, '{}', now())`
    const cancelAndCheck = ['cancel', 'check'].map((action) => ask(`POST /v1/refunds/${id}/${action}`))
    for (const answer of await Promise.all([refund(chargeId), ...cancelAndCheck]))
      expectError(answer, '409 request_in_progress')
    await owner`delete from requests where charge_id = ${chargeId} and responded_at is null`
  })

  describe('to an address that the payer gave', () => {
    const approve = (id: string | null, account = payer) =>
      ask(`POST /v1/refunds/${id}/approve`, { address: checksum(account) })

    it('are not approved while an equal refund is open', async () => {
      const id = await claim('9')
      await refund(await pay(), { amount: '9' })
      expectError(await approve(id), '409 refund_ambiguous')
    })

    it('are not approved while the chain cannot be read', async () => {
      const id = await claim('1')
      stage.node.rule(() => 'error')
      expectError(await approve(id), '503 rpc_unavailable')
    })

    it('are not approved if the issuer restricts the address, or if the address has become a payout recipient', async () => {
      const blocked = address(`0x${'5b'.repeat(20)}`)
      const toBlocked = await claim('1', blocked)
      await stage.restrict(blocked, 'base')
      expectError(await approve(toBlocked, blocked), '422 recipient_transfer_restricted', 'address')
      const id = await claim('1')
      await stage.api.owner`
        insert into recipients (id, organization_id, environment, address, family, payout)
        values (${newId('rc', Date.now())}, 'org_one', 'live', ${payer}, 'evm', true)`
      expectError(await approve(id), '422 destination_not_allowed', 'address')
    })

    it('stay approved if the approval is repeated after the issuer has restricted the address', async () => {
      const id = (await claim('1')) ?? ''
      const { body: before } = await ask(`GET /v1/refunds/${id}`)
      await order(before.chargeId, { action: 'approve', refundId: id, address: payer })
      await stage.restrict(payer, 'base')
      const { status, body } = await approve(id)
      expect([status, body.status]).to.deep.equal([200, 'awaiting_payment'])
    })

    /** Declares a refund, submits the address as the payer's page would, and returns the refund's id. */
    async function claim(amount: string, destination = payer): Promise<string | null> {
      const chargeId = await pay()
      const claimHash = randomBytes(32).toString('hex')
      const declaration = { action: 'declare', amount, token: null, network: null, from: null } as const
      const { refundId } = await order(chargeId, {
        ...{ ...declaration, destination: null, claimHash, reason: 'other' },
        idempotencyKey: `claim-of-${chargeId}`,
      })
      await order(chargeId, {
        action: 'claim',
        refundId: refundId ?? '',
        claimHash,
        destination,
        signed: null,
      })
      return refundId
    }
  })

  it('are not checked if the chain cannot be read', async () => {
    const { id } = (await refund(await pay(), { amount: '5' })).body
    search = () => Promise.reject(new AppError('rpc_unavailable', 'no node responds'))
    expectError(await ask(`POST /v1/refunds/${id}/check`), '503 rpc_unavailable')
  })

  it('can be read and changed only by their tenant, with the scope', async () => {
    const { body } = await refund(await pay(), { amount: '7' })
    const { key: reader } = await stage.api.issueKey({ scopes: ['charges:read', 'charges:write'] })
    expectError(await refund(body.chargeId, {}, reader), '403 insufficient_scope')
    // A check declares no refund, so it requires the same scope as the check of a charge.
    const check = `POST /v1/refunds/${body.id}/check`
    expect((await call(stage.api, check, { key: reader })).status).to.equal(200)
    const { key: declarer } = await stage.api.issueKey({ scopes: ['refunds:write'] })
    expectError(await call(stage.api, check, { key: declarer }), '403 insufficient_scope')
    const { key: strange } = await stage.api.issueKey({ organization: 'org_three', scopes: SCOPES })
    for (const request of [`GET /v1/refunds/${body.id}`, `POST /v1/refunds/${body.id}/cancel`])
      expectError(await call(stage.api, request, { key: strange }), '404 refund_not_found')
    expectError(await call(stage.api, 'GET /v1/refunds/rf_none', { key }), '404 refund_not_found')
    const { key: both } = await stage.api.issueKey({ scopes: [...SCOPES, 'recipients:manage_payout'] })
    expectError(await refund(body.chargeId, {}, both), '403 conflicting_api_key_scopes')
  })

  it('cannot be canceled once their transfer is on the chain', async () => {
    const { body } = await refund(await pay(), { amount: '8' })
    await stage.api.owner`
      update refunds set status = 'seen', tx_hash = '0x1', ordinal = 0, block_number = after_block + 1,
        agreed_by = '{one,two}', seen_at = now() where id = ${body.id}`
    expectError(await ask(`POST /v1/refunds/${body.id}/cancel`), '409 refund_already_seen')
  })
})

/** Returns a checksummed address with the case of one letter changed, as a typing error would. */
function flipCase(text: string): string {
  return text.replace(/[A-Fa-f](?=[0-9]*$)|[A-Fa-f]/, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )
}
