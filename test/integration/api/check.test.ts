import { expect } from 'chai'
import { type Hex, zeroHash } from 'viem'
import { checksum } from '../../../shared/domain/address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { type CheckStage, CONFIRMATIONS, setCheckStage } from '../../support/check-stage.ts'
import type { RpcFate } from '../../support/rpc-proxy.ts'

const USDC_BASE = { token: 'USDC', network: 'base' }
const CHARGE = { amount: 10, acceptedPayments: [USDC_BASE], expiresIn: 600 }
const NOBODY = { transactionSender: null, tokenSenders: [], userOperationSenders: [] }
const PAYER = ACCOUNTS.payer.address
const DEEP = CONFIRMATIONS - 1
const hint = (txHash: Hex, network = 'base') => ({ txHash, network })

describe('POST /v1/charges/{id}/check', function () {
  this.timeout(240_000)
  let stage: CheckStage
  let api: TestApi
  let key: string
  /** An API whose daemon is down. */
  let lonely: TestApi
  let unanswered: Promise<Answer>

  before(async () => {
    stage = await setCheckStage()
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
    it('finds a payment that is deep, and credits it before it answers', async () => {
      const { id, address } = await create()
      const hash = await stage.pay(address)
      await stage.mine(DEEP)
      const { status, body } = await ask(id)
      expect(status).to.equal(200)
      expect(body).to.deep.include({ id, status: 'confirmed', amountReceivedExact: '10', txHash: hash })
      expect(body).to.deep.include({ ...NOBODY, confirmationProgress: null })
      expect(await sourcesOf(id)).to.deep.equal(['reconciliation_job'])
    })

    it('tells how deep a payment is that is not deep enough, and credits nothing yet', async () => {
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

    it('credits a payment once, however often it looks', async () => {
      const { id, address } = await create()
      await stage.pay(address, 4_000_000n)
      await stage.mine(DEEP)
      for (const _ of [1, 2]) {
        expect((await ask(id)).body).to.deep.include({ status: 'partially_paid', amountReceivedExact: '4' })
        await letTenSecondsPass()
      }
      expect(await sourcesOf(id)).to.have.length(1)
    })

    it('finds nothing where nothing was paid, or only what the charge does not accept', async () => {
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
      expect(await sourcesOf(id), 'shown, and not counted').to.have.length(1)
    })

    for (const status of ['confirmed', 'expired', 'underpaid']) {
      it(`does not look for more when the charge is ${status}, and answers it as it stands`, async () => {
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
    it('says who signed and who paid, and credits the payment', async () => {
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

    it('says so of a payment that is not deep yet too, and how deep it is', async () => {
      const { id, address } = await create()
      const hash = await stage.pay(address)
      await stage.mine(1)
      const { body } = await ask(id, hint(hash.toUpperCase().replace('0X', '') as Hex))
      expect(body).to.deep.include({ status: 'pending', transactionSender: PAYER, tokenSenders: [PAYER] })
      expect(body.confirmationProgress).to.deep.include({ blocksSeen: 2, percent: 66 })
    })

    it('does not name the sender of what was minted', async () => {
      const { id, address } = await create()
      const hash = await stage.mint(address, 10_000_000n)
      expect((await ask(id, hint(hash))).body).to.deep.include({
        ...{ transactionSender: ACCOUNTS.deployer.address, tokenSenders: [], userOperationSenders: [] },
      })
    })

    it('names the smart account whose user operations paid, once', async () => {
      const { id, address } = await create()
      const hash = await stage.payByUserOperations(address, [4_000_000n, 6_000_000n])
      await stage.mine(DEEP)
      const account = checksum(stage.smartAccount)
      expect((await ask(id, hint(hash))).body).to.deep.include({
        ...{ status: 'confirmed', transactionSender: PAYER },
        ...{ tokenSenders: [account], userOperationSenders: [account] },
      })
    })

    it('names nobody for a user operation that failed, or paid nobody of ours', async () => {
      const [{ id, address }, other] = [await create(), await create()]
      const failed = await stage.payByUserOperations(address, [10n ** 30n])
      expect((await ask(id, hint(failed))).body).to.deep.include(NOBODY)
      const foreign = await stage.payByUserOperations(other.address, [1n])
      await letTenSecondsPass()
      expect((await ask(id, hint(foreign))).body).to.deep.include(NOBODY)
    })

    it('says nothing of a transaction that does not exist, paid nothing, or paid what is not accepted', async () => {
      const { id, address } = await create()
      const nothing = await stage.pay(address, 0n)
      const refused = await stage.pay(address, 1n, { of: stage.chain.usdt })
      const reverted = await stage.pay(address, 10n ** 30n)
      for (const hash of [zeroHash, nothing, refused, reverted]) {
        expect((await ask(id, hint(hash))).body, hash).to.deep.include({ ...NOBODY, status: 'pending' })
        await letTenSecondsPass()
      }
    })

    it('says who paid a confirmed charge if that was credited, and else nothing', async () => {
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

    it('says who paid an expired charge, whose late money is counted', async () => {
      const { id, address } = await create()
      await conclude(id, 'expired')
      const hash = await stage.pay(address)
      await stage.mine(DEEP)
      expect((await ask(id, hint(hash))).body).to.deep.include({
        ...{ status: 'expired', amountReceivedExact: '10', tokenSenders: [PAYER] },
      })
    })

    it('refuses a network that the charge does not accept', async () => {
      const { id } = await create()
      expectError(await ask(id, hint(zeroHash, 'bnb')), '422 payment_pair_not_accepted', 'network')
      expect((await ask(id)).status, 'and the refusal took no turn').to.equal(200)
    })

    it('takes hash and network together only, each in its form', async () => {
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

  it('is granted once in ten seconds for each charge, to all keys and processes together', async () => {
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

  it('is refused while an earlier one is under way', async () => {
    const { id } = await create()
    await api.owner`
      insert into requests (id, kind, organization_id, charge_id, payload, consumed_at)
      values (${newId('req', Date.now())}, 'check', 'org_one', ${id}, '{}', now())`
    expectError(await ask(id), '409 request_in_progress')
    await api.owner`delete from requests where charge_id = ${id}`
  })

  it('records what one network shows though another cannot be read', async () => {
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
    it(`answers ${JSON.stringify(body)} with rpc_unavailable when the node's fate is ${fate}, and keeps its URL`, async () => {
      const { id } = await create()
      stage.proxy.rule(() => fate)
      const answer = await ask(id, body)
      expectError(answer, '503 rpc_unavailable')
      expect(answer.text).not.to.contain('127.0.0.1')
      // What still waits for the node, later checks share.
      stage.proxy.rule(() => 'pass')
      const isServed = async () => (await ask((await create()).id, {})).status === 200
      await waitFor(isServed, { what: 'a check of a node that answers again', timeoutMs: 60_000 })
    })
  }

  it('credits nothing that a reorganization drops between the receipt and the depth', async () => {
    const { id, address } = await create()
    const hash = await stage.pay(address)
    const { node } = stage.chain
    let [isRead, isReorganized] = [false, false]
    // The depth is asked for after the receipt was read; a check of an earlier test may still ask, too.
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

  it('sets aside what no column can hold, and credits what stands beside it', async () => {
    const { id, address } = await create()
    await stage.mint(address, 10n ** 66n)
    await stage.pay(address)
    await stage.mine(DEEP)
    const { status, body } = await ask(id)
    expect(status).to.equal(200)
    expect(body).to.deep.include({ status: 'confirmed', amountReceivedExact: '10' })
  })

  it('is the same 404 as the charge, and needs the scope', async () => {
    const { id } = await create()
    const foreign = await api.issueKey({ organization: 'org_two' })
    const reader = await api.issueKey({ scopes: ['charges:read'] })
    expectError(await ask(id, {}, foreign.key), '404 charge_not_found')
    expectError(await ask(newId('ch', Date.now())), '404 charge_not_found')
    expectError(await ask(id, {}, reader.key), '403 insufficient_scope')
    expectError(await call(api, `POST /v1/charges/${id}/check`), '401 missing_api_key')
  })

  // Begun before all others: it takes the ten seconds that the API waits.
  it('answers service_unavailable when no daemon takes it, and leaves nothing behind', async () => {
    expectError(await unanswered, '503 service_unavailable')
    expect(await lonely.owner`select id from requests`).to.deep.equal([])
  })
})
