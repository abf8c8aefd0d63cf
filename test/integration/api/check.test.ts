import { expect } from 'chai'
import { type Hex, zeroHash } from 'viem'
import { checksum } from '../../../shared/domain/address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { type CheckFixture, CONFIRMATIONS, createCheckFixture } from '../../support/check-fixture.ts'
import type { RpcFate } from '../../support/rpc-proxy.ts'

const USDC_BASE = { token: 'USDC', network: 'base' }
const CHARGE = { amount: 10, acceptedPayments: [USDC_BASE], expiresIn: 600 }
const NOBODY = { transactionSender: null, tokenSenders: [], userOperationSenders: [] }
const PAYER = ACCOUNTS.payer.address
const DEEP = CONFIRMATIONS - 1
const hint = (txHash: Hex, network = 'base') => ({ txHash, network })

describe('POST /v1/charges/{id}/check', function () {
  this.timeout(240_000)
  let stage: CheckFixture
  let api: TestApi
  let key: string
  /** An API without a daemon. */
  let lonely: TestApi
  let unanswered: Promise<Answer>

  before(async () => {
    stage = await createCheckFixture()
    ;({ api } = stage)
    ;({ key } = await api.issueKey())
    lonely = await startTestApi()
    unanswered = askLonely()
  })
  afterEach(() => stage.proxy.rule(() => 'pass'))
  after(async () => {
    await lonely?.stop()
    await stage?.close()
  })

  async function askLonely(): Promise<Answer> {
    const { key: its } = await lonely.issueKey()
    const { body } = await call(lonely, 'POST /v1/charges', { key: its, body: CHARGE })
    return call(lonely, `POST /v1/charges/${body.id}/check`, { key: its })
  }
  const create = async (change: object = {}) =>
    (await call(api, 'POST /v1/charges', { key, body: { ...CHARGE, ...change } })).body
  const ask = (id: string, body?: object, withKey = key): Promise<Answer> =>
    call(api, `POST /v1/charges/${id}/check`, { key: withKey, ...(body && { body }) })
  const letTenSecondsPass = () =>
    api.owner`update rate_limits set window_start = window_start - interval '10 seconds' where bucket like 'check:%'`
  const sourcesOf = async (id: string): Promise<readonly string[]> =>
    (await api.owner`select source from transfers where charge_id = ${id} order by id`).map(
      ({ source }) => source,
    )
  const conclude = (id: string, status: string) =>
    api.owner`
      update charges set status = ${status}, confirmed_at = ${status === 'confirmed' ? new Date() : null}
      where id = ${id}`

  describe('without a hint', () => {
    it('credits a confirmed payment before it responds', async () => {
      const { id, address } = await create()
      const hash = await stage.pay(address)
      await stage.mine(DEEP)
      const { status, body } = await ask(id)
      expect(status).to.equal(200)
      expect(body).to.deep.include({ id, status: 'confirmed', amountReceivedExact: '10', txHash: hash })
      expect(body).to.deep.include({ ...NOBODY, confirmationProgress: null })
      expect(await sourcesOf(id)).to.deep.equal(['reconciliation_job'])
    })

    it('returns the confirmations of an unconfirmed payment, and does not credit the payment', async () => {
      const { id, address } = await create()
      await stage.pay(address)
      const { body } = await ask(id)
      expect(body).to.deep.include({ status: 'pending', ...NOBODY })
      expect(body.confirmationProgress).to.deep.equal({
        ...{ network: 'base', blocksSeen: 1, blocksRequired: CONFIRMATIONS, percent: 33 },
      })
      expect(await sourcesOf(id)).to.deep.equal([])
      await stage.mine(DEEP)
      await letTenSecondsPass()
      expect((await ask(id)).body).to.deep.include({ status: 'confirmed', confirmationProgress: null })
    })

    it('credits a payment once when checked repeatedly', async () => {
      const { id, address } = await create()
      await stage.pay(address, 4_000_000n)
      await stage.mine(DEEP)
      for (const _ of [1, 2]) {
        expect((await ask(id)).body).to.deep.include({ status: 'partially_paid', amountReceivedExact: '4' })
        await letTenSecondsPass()
      }
      expect(await sourcesOf(id)).to.have.length(1)
    })

    it('records a payment on a pair that the charge does not accept, but does not credit it', async () => {
      const { id, address } = await create()
      await stage.pay(address, 10_000_000n, { of: stage.chain.usdt })
      expect((await ask(id)).body).to.deep.include({
        status: 'pending',
        confirmationProgress: null,
        ...NOBODY,
      })
      await stage.mine(DEEP)
      await letTenSecondsPass()
      expect((await ask(id)).body).to.deep.include({ status: 'pending', amountReceived: null })
      expect(await sourcesOf(id), 'recorded, but not credited').to.have.length(1)
    })

    for (const status of ['confirmed', 'expired', 'underpaid']) {
      it(`returns a charge that is ${status} unchanged, without scanning the chain`, async () => {
        const { id, address } = await create()
        await conclude(id, status)
        await stage.pay(address)
        await stage.mine(DEEP)
        stage.proxy.rule(() => 'error')
        const { body } = await ask(id)
        expect(body).to.deep.include({ status, amountReceived: null, confirmationProgress: null, ...NOBODY })
        expect(await sourcesOf(id)).to.deep.equal([])
      })
    }
  })

  describe('with a hint', () => {
    it('returns the signer and the payer, and credits the payment', async () => {
      const { id, address } = await create()
      const hash = await stage.pay(address, 10_000_000n, { from: ACCOUNTS.payer2 })
      await stage.mine(DEEP)
      const { body } = await ask(id, hint(hash))
      expect(body).to.deep.include({
        ...{ status: 'confirmed', confirmationProgress: null, userOperationSenders: [] },
        ...{ transactionSender: ACCOUNTS.payer2.address, tokenSenders: [ACCOUNTS.payer2.address] },
      })
      expect(await sourcesOf(id)).to.deep.equal(['reconciliation_job'])
    })

    it('returns the signer and the payer of an unconfirmed payment, with its confirmations', async () => {
      const { id, address } = await create()
      const hash = await stage.pay(address)
      await stage.mine(1)
      const { body } = await ask(id, hint(hash.toUpperCase().replace('0X', '') as Hex))
      expect(body).to.deep.include({ status: 'pending', transactionSender: PAYER, tokenSenders: [PAYER] })
      expect(body.confirmationProgress).to.deep.include({ blocksSeen: 2, percent: 66 })
    })

    it('returns no token sender for minted tokens', async () => {
      const { id, address } = await create()
      const hash = await stage.mint(address, 10_000_000n)
      expect((await ask(id, hint(hash))).body).to.deep.include({
        ...{ transactionSender: ACCOUNTS.deployer.address, tokenSenders: [], userOperationSenders: [] },
      })
    })

    it('returns a smart account once, even if two of its user operations paid', async () => {
      const { id, address } = await create()
      const hash = await stage.payByUserOperations(address, [4_000_000n, 6_000_000n])
      await stage.mine(DEEP)
      const account = checksum(stage.smartAccount)
      expect((await ask(id, hint(hash))).body).to.deep.include({
        ...{ status: 'confirmed', transactionSender: PAYER },
        ...{ tokenSenders: [account], userOperationSenders: [account] },
      })
    })

    it('returns no sender for a user operation that failed or paid another address', async () => {
      const [{ id, address }, other] = [await create(), await create()]
      const failed = await stage.payByUserOperations(address, [10n ** 30n])
      expect((await ask(id, hint(failed))).body).to.deep.include(NOBODY)
      const foreign = await stage.payByUserOperations(other.address, [1n])
      await letTenSecondsPass()
      expect((await ask(id, hint(foreign))).body).to.deep.include(NOBODY)
    })

    it('returns no sender if the transaction is missing or reverted, contains no payment or paid on another pair', async () => {
      const { id, address } = await create()
      const nothing = await stage.pay(address, 0n)
      const refused = await stage.pay(address, 1n, { of: stage.chain.usdt })
      const reverted = await stage.pay(address, 10n ** 30n)
      for (const hash of [zeroHash, nothing, refused, reverted]) {
        expect((await ask(id, hint(hash))).body, hash).to.deep.include({ ...NOBODY, status: 'pending' })
        await letTenSecondsPass()
      }
    })

    it('returns the payer of a confirmed charge only if their payment was credited', async () => {
      const { id, address } = await create()
      const credited = await stage.pay(address)
      await stage.mine(DEEP)
      await ask(id)
      const later = await stage.pay(address, 1n)
      await letTenSecondsPass()
      expect((await ask(id, hint(credited))).body).to.deep.include({
        status: 'confirmed',
        tokenSenders: [PAYER],
      })
      await letTenSecondsPass()
      expect((await ask(id, hint(later))).body).to.deep.include({ ...NOBODY, confirmationProgress: null })
    })

    it('records a late payment for an expired charge, and returns the payer', async () => {
      const { id, address } = await create()
      await conclude(id, 'expired')
      const hash = await stage.pay(address)
      await stage.mine(DEEP)
      expect((await ask(id, hint(hash))).body).to.deep.include({
        ...{ status: 'expired', amountReceivedExact: '10', tokenSenders: [PAYER] },
      })
    })

    it('rejects a network that the charge does not accept', async () => {
      const { id } = await create()
      expectError(await ask(id, hint(zeroHash, 'bnb')), '422 payment_pair_not_accepted', 'network')
      expect((await ask(id)).status, 'a rejected check does not count towards the rate limit').to.equal(200)
    })

    it('requires hash and network together, each in a valid format', async () => {
      const { id } = await create()
      expectError(await ask(id, { txHash: zeroHash }), '400 validation_error', 'network')
      expectError(await ask(id, { network: 'base' }), '400 validation_error', 'txHash')
      for (const txHash of ['0x12', `${zeroHash}0`, 'x'.repeat(64), 7]) {
        expectError(await ask(id, { txHash, network: 'base' }), '400 validation_error', 'txHash')
      }
      expectError(await ask(id, { txHash: zeroHash, network: 'solana' }), '400 validation_error', 'network')
      expectError(await ask(id, { force: true }), '400 validation_error', 'force')
    })
  })

  it('is allowed once in ten seconds per charge, across all keys and processes', async () => {
    const [{ id }, other] = [await create(), await create()]
    const { key: second } = await api.issueKey()
    const another = await api.startAnother()
    expect((await ask(id)).status).to.equal(200)
    const refused = await ask(id, {}, second)
    expectError(refused, '429 rate_limited')
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 10)
    const path = `POST /v1/charges/${id}/check`
    expectError(await call({ ...api, baseUrl: another.baseUrl }, path, { key }), '429 rate_limited')
    await another.stop()
    expect((await ask(other.id)).status, 'another charge').to.equal(200)
    await letTenSecondsPass()
    expect((await ask(id)).status).to.equal(200)
  })

  it('is rejected while another check is in progress', async () => {
    const { id } = await create()
    await api.owner`
      insert into requests (id, kind, organization_id, charge_id, payload, consumed_at)
      values (${newId('req', Date.now())}, 'check', 'org_one', ${id}, '{}', now())`
    expectError(await ask(id), '409 request_in_progress')
    await api.owner`delete from requests where charge_id = ${id}`
  })

  it('records the payments of one network if another network cannot be read', async () => {
    const both = [USDC_BASE, { token: 'USDT', network: 'bnb' }]
    const { id, address } = await create({ acceptedPayments: both })
    await stage.pay(address)
    await stage.mine(DEEP)
    expectError(await ask(id), '503 rpc_unavailable')
    expect((await call(api, `GET /v1/charges/${id}`, { key })).body.status).to.equal('confirmed')
  })

  for (const [fate, body] of [
    ['error', {}],
    ['error', hint(zeroHash)],
    ['hang', {}],
  ] as const) {
    it(`returns rpc_unavailable without the node’s URL if the node fails (${fate}) for ${JSON.stringify(body)}`, async () => {
      const { id } = await create()
      // A busy machine might pause for longer than the 2 s that the default leaves to the API's own timeout.
      if (fate === 'hang') await stage.restartChecks({ timeoutMs: 1_000 })
      stage.proxy.rule(() => fate)
      const answer = await ask(id, body)
      if (fate === 'hang') await stage.restartChecks()
      expectError(answer, '503 rpc_unavailable')
      expect(answer.text).not.to.contain('127.0.0.1')
      // The next test's check could share a read that still waits for the node, so wait until a check succeeds.
      stage.proxy.rule(() => 'pass')
      const isServed = async () => (await ask((await create()).id, {})).status === 200
      await waitFor(isServed, { what: 'a successful check after the node responds again', timeoutMs: 60_000 })
    })
  }

  it('does not credit a payment that a reorganization drops after its receipt was read', async () => {
    const { id, address } = await create()
    const hash = await stage.pay(address)
    const { node } = stage.chain
    let [isRead, isReorganized] = [false, false]
    // The check queries the head after the receipt. A check of an earlier test might query the head first.
    stage.proxy.rule(async (method, params): Promise<RpcFate> => {
      if (method === 'eth_getTransactionReceipt' && params.includes(hash)) isRead = true
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest' && isRead && !isReorganized) {
        isReorganized = true
        await node.request({ method: 'anvil_reorg', params: [1, []] } as never)
        await stage.mine(CONFIRMATIONS)
      }
      return 'pass'
    })
    expect((await ask(id, hint(hash))).body).to.deep.include({
      status: 'pending',
      confirmationProgress: null,
    })
    expect(isReorganized).to.equal(true)
    expect(await sourcesOf(id)).to.deep.equal([])
  })

  it('credits a payment even if the amount of another transfer is too large for its column', async () => {
    const { id, address } = await create()
    await stage.mint(address, 10n ** 66n)
    await stage.pay(address)
    await stage.mine(DEEP)
    const { status, body } = await ask(id)
    expect(status).to.equal(200)
    expect(body).to.deep.include({ status: 'confirmed', amountReceivedExact: '10' })
  })

  it('returns 404 for unknown charges and charges of another organization, and requires the scope', async () => {
    const { id } = await create()
    const foreign = await api.issueKey({ organization: 'org_two' })
    const reader = await api.issueKey({ scopes: ['charges:read'] })
    expectError(await ask(id, {}, foreign.key), '404 charge_not_found')
    expectError(await ask(newId('ch', Date.now())), '404 charge_not_found')
    expectError(await ask(id, {}, reader.key), '403 insufficient_scope')
    expectError(await call(api, `POST /v1/charges/${id}/check`), '401 missing_api_key')
  })

  // `before` sent this check, because the API waits ten seconds for a daemon.
  it('returns service_unavailable if no daemon claims the check, and leaves no request', async () => {
    expectError(await unanswered, '503 service_unavailable')
    expect(await lonely.owner`select id from requests`).to.deep.equal([])
  })
})
