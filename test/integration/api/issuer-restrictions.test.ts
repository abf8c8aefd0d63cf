import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Address, checksum } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { ISSUER_TIMEOUT_MS } from '../../../shared/domain/networks.ts'
import type { ApiConfig } from '../../../shared/runtime/api-config.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { address, TREASURY } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { createIssuerFixture, type IssuerFixture } from '../../support/issuer-fixture.ts'
import type { RpcFate } from '../../support/rpc-proxy.ts'

const ON_BASE = { token: 'USDC', network: 'base' }
const ON_ETHEREUM = { token: 'USDC', network: 'ethereum' }
const USDT_ON_BASE = { token: 'USDT', network: 'base' }
const ON_POLYGON = { token: 'USDC', network: 'polygon' }
const USDT_ON_TRON = { token: 'USDT', network: 'tron' }
const ON_AVALANCHE = { token: 'USDC', network: 'avalanche' }

describe('issuer restrictions', () => {
  let stage: IssuerFixture
  /** Number of queries that reached the node since the last call of `answer`. */
  let calls = 0

  before(async function () {
    this.timeout(240_000)
    stage = await createIssuerFixture({ RATE_LIMIT_TRANSFERABILITY_PER_MINUTE: '20' })
  })
  after(() => stage.close())
  beforeEach(() => answer('pass'))

  function answer(fate: RpcFate): void {
    calls = 0
    stage.node.rule(() => {
      calls += 1
      return fate
    })
  }

  /** Returns the configuration with the default timeout of one second. */
  const withinASecond = (config: ApiConfig): ApiConfig => ({ ...config, issuerTimeoutMs: ISSUER_TIMEOUT_MS })

  /** Returns a new address for each call, because an issuer's response is cached for five minutes. */
  const someone = (): Address => address(`0x${randomBytes(20).toString('hex')}`)

  const merchant = async (payoutAddress = someone()): Promise<string> =>
    (await stage.api.issueKey({ payoutAddress, scopes: ['charges:write', 'charges:split_write'] })).key

  const register = async (account: string): Promise<string> => {
    const { key } = await stage.api.issueKey({ scopes: ['recipients:write'] })
    return (await call(stage.api, 'POST /v1/recipients', { key, body: { address: account } })).body.id
  }

  describe('at POST /v1/charges', () => {
    const create = (
      key: string,
      change: object = {},
      api: { baseUrl: string } = stage.api,
    ): Promise<Answer> =>
      call({ ...stage.api, baseUrl: api.baseUrl }, 'POST /v1/charges', {
        key,
        body: {
          amount: 10,
          expiresIn: 600,
          acceptedPayments: [ON_BASE, ON_ETHEREUM, USDT_ON_BASE],
          ...change,
        },
      })
    const expectRefusal = (refused: Answer, message: string): void => {
      expectError(refused, '422 recipient_transfer_restricted', 'acceptedPayments')
      expect(refused.body.error.message).to.equal(`${message}; omit these pairs from acceptedPayments`)
    }

    it('reject a payout address that cannot receive, naming only the affected pairs', async () => {
      const payoutAddress = someone()
      await stage.restrict(payoutAddress, 'ethereum')
      const key = await merchant(payoutAddress)
      expectRefusal(
        await create(key),
        'the issuer restricts your payout address from receiving USDC on ethereum',
      )
      expect((await create(key, { acceptedPayments: [ON_BASE, USDT_ON_BASE] })).status).to.equal(201)
    })

    it('reject a restricted split recipient, named once by its id, and also name a restricted payout address', async () => {
      const [payoutAddress, partner, other] = [someone(), someone(), someone()]
      for (const network of ['base', 'ethereum'] as const) await stage.restrict(partner, network)
      const [bad, good] = [await register(partner), await register(other)]
      const splitRecipients = [bad, good, bad].map((recipientId) => ({ recipientId, percent: 10 }))
      const his = `the issuer restricts recipient ${bad} from receiving USDC on base, USDC on ethereum`
      expectRefusal(await create(await merchant(), { splitRecipients }), his)

      await stage.restrict(payoutAddress, 'base')
      expectRefusal(
        await create(await merchant(payoutAddress), { splitRecipients }),
        `the issuer restricts your payout address from receiving USDC on base; ${his}`,
      )
    })

    it('are reported only as an unavailable pair if they affect the treasury', async () => {
      await stage.restrict(TREASURY, 'avalanche')
      const refused = await create(await merchant(), { acceptedPayments: [ON_AVALANCHE, ON_BASE] })
      expectRefusal(refused, 'currently unavailable: USDC on avalanche')
      expect(refused.text.toLowerCase()).not.to.contain(TREASURY.slice(2))
    })

    it('are reported after other 400 and 422 errors and before a 503; whether a releaser is a contract is checked last', async () => {
      const payoutAddress = someone()
      await stage.restrict(payoutAddress, 'base')
      const key = await merchant(payoutAddress)
      const recipientId = await register(someone())
      await stage.api.owner`update pairs set paused_at = now() where token = 'USDT' and network = 'base'`
      /** The expected errors in the order of decisions 3.3, each with the change that fixes it. */
      const faults: readonly [code: string, param: string, mended: object][] = [
        ['400 validation_error', 'amount', { amount: 10 }],
        ['400 validation_error', 'acceptedPayments[1]', { acceptedPayments: [ON_BASE, USDT_ON_TRON] }],
        ['400 validation_error', 'acceptedPayments[1].network', { acceptedPayments: [ON_BASE, ON_POLYGON] }],
        ['400 validation_error', 'expiresIn', { expiresIn: 600 }],
        [
          '400 validation_error',
          'splitRecipients[0].percent',
          { splitRecipients: [{ recipientId: 'rc_none', percent: 10 }] },
        ],
        ['400 validation_error', 'escrow.releaserAddress', { escrow: { releaserAddress: stage.contract } }],
        ['400 validation_error', 'other', { other: undefined }],
        ['422 token_not_supported', 'acceptedPayments[1]', { acceptedPayments: [ON_BASE, USDT_ON_BASE] }],
        [
          '422 recipient_not_found_in_split',
          'splitRecipients[0].recipientId',
          { splitRecipients: [{ recipientId, percent: 10 }] },
        ],
        [
          '422 recipient_transfer_restricted',
          'acceptedPayments',
          { acceptedPayments: [ON_ETHEREUM, USDT_ON_BASE] },
        ],
        ['503 payment_temporarily_unavailable', 'acceptedPayments[1]', { acceptedPayments: [ON_ETHEREUM] }],
        ['400 validation_error', 'escrow.releaserAddress', { escrow: { releaserAddress: someone() } }],
      ]
      let body: object = {
        amount: 0,
        acceptedPayments: [ON_BASE, ON_BASE],
        expiresIn: 1,
        splitRecipients: [{ recipientId: 'rc_none', percent: 0 }],
        escrow: { releaserAddress: '0x1' },
        other: 1,
      }
      for (const [code, param, mended] of faults) {
        expectError(await create(key, body), code, param)
        body = { ...body, ...mended }
      }
      expect((await create(key, body)).status).to.equal(201)
      await stage.api.owner`update pairs set paused_at = null`
    })

    it('are ignored for accounts that receive no share', async () => {
      const other = await stage.api.issueKey({ organization: 'org_free', scopes: ['charges:write'] })
      await stage.api.owner`update organizations set fee_percent = 0 where id = 'org_free'`
      expect((await create(other.key, { acceptedPayments: [ON_AVALANCHE] })).status).to.equal(201)
    })

    it('are queried only for the first of several charges with the same addresses', async () => {
      const key = await merchant()
      await create(key)
      const first = calls
      expect(first).to.be.within(2, 4)
      for (let more = 0; more < 5; more += 1) expect((await create(key)).status).to.equal(201)
      expect(calls).to.equal(first)
    })

    it('do not block a charge while a node fails', async () => {
      answer('error')
      expect((await create(await merchant())).status).to.equal(201)
    })

    it('do not block a charge while no node responds, and delay it by less than the timeout of a node', async () => {
      const asShipped = await stage.api.startAnother(withinASecond)
      answer('hang')
      const startedMs = performance.now()
      const { status } = await create(await merchant(), {}, asShipped)
      // The deadline is one second. Without it, a single node would take two timeouts of 5 s.
      expect(performance.now() - startedMs).to.be.lessThan(9_500)
      await asShipped.stop()
      expect(status).to.equal(201)
    })

    it('are queried on several networks in parallel', async () => {
      const payoutAddress = someone()
      await stage.restrict(payoutAddress, 'base')
      const key = await merchant(payoutAddress)
      const asked = new Set<string>()
      // No response is sent until both networks have been queried.
      stage.node.rule(async (_method, params): Promise<RpcFate> => {
        const question = JSON.stringify(params)
        if (!question.includes(payoutAddress.slice(2))) return 'pass'
        asked.add(question)
        await waitFor(() => asked.size === 2, { what: 'the second request to the node', timeoutMs: 15_000 })
        return 'pass'
      })
      expectError(await create(key), '422 recipient_transfer_restricted', 'acceptedPayments')
    })

    it('are reported before a paused pair, because every 422 precedes every 503', async () => {
      const payoutAddress = someone()
      await stage.restrict(payoutAddress, 'base')
      const key = await merchant(payoutAddress)
      await stage.api.owner`update pairs set paused_at = now() where network = 'ethereum'`
      const refused = await create(key)
      await stage.api.owner`update pairs set paused_at = null`
      expectError(refused, '422 recipient_transfer_restricted', 'acceptedPayments')
    })

    it('reject an escrow because of the payees of its split', async () => {
      const payoutAddress = someone()
      await stage.restrict(payoutAddress, 'base')
      const escrow = { releaserAddress: someone() }
      expectError(
        await create(await merchant(payoutAddress), { escrow }),
        '422 recipient_transfer_restricted',
        'acceptedPayments',
      )
    })

    it('do not affect existing charges: the same request returns the charge, a different body returns 409', async () => {
      const payoutAddress = someone()
      const key = await merchant(payoutAddress)
      const made = await create(key, { idempotencyKey: 'before' })
      await stage.restrict(payoutAddress, 'base')
      const fresh = await stage.api.startAnother() // A process without cached responses.
      try {
        const again = await create(key, { idempotencyKey: 'before' }, fresh)
        expect([again.status, again.body.id]).to.deep.equal([201, made.body.id])
        expect(again.headers.get('idempotent-replayed')).to.equal('true')
        const other = { idempotencyKey: 'before', amount: 11 }
        expectError(await create(key, other, fresh), '409 idempotency_key_reused', 'idempotencyKey')
        const refused = await create(key, { idempotencyKey: 'after' }, fresh)
        expectError(refused, '422 recipient_transfer_restricted', 'acceptedPayments')
      } finally {
        await fresh.stop()
      }
    })
  })

  describe('at GET /v1/recipients/{id}/transferability', () => {
    /** Issues a key, by default of a new organization, whose rate limit is unused. */
    const reader = (organization = `org_${randomBytes(4).toString('hex')}`) =>
      stage.api.issueKey({ organization, scopes: ['recipients:read', 'recipients:write'] })
    const registerFor = async (key: string, account: string): Promise<string> =>
      (await call(stage.api, 'POST /v1/recipients', { key, body: { address: account } })).body.id
    const read = (key: string, id: string, api: { baseUrl: string } = stage.api): Promise<Answer> =>
      call({ ...stage.api, baseUrl: api.baseUrl }, `GET /v1/recipients/${id}/transferability`, { key })

    it('are returned for receiving and for sending, for every acceptable pair', async () => {
      const [account, { key }] = [someone(), await reader()]
      await stage.restrict(account, 'ethereum')
      const id = await registerFor(key, account)
      const { status, body, text } = await read(key, id)
      expect(status, text).to.equal(200)
      expect(body).to.deep.equal({
        recipientId: id,
        address: checksum(account),
        pairs: [
          { ...ON_AVALANCHE, receive: 'allowed', send: 'allowed' },
          { ...ON_BASE, receive: 'allowed', send: 'allowed' },
          { ...USDT_ON_BASE, receive: 'allowed', send: 'unknown' },
          { token: 'USDT', network: 'bnb', receive: 'allowed', send: 'unknown' },
          { ...ON_ETHEREUM, receive: 'restricted', send: 'restricted' },
        ],
      })
    })

    it('are also returned for a recipient that another key registered', async () => {
      const account = someone()
      await stage.restrict(account, 'base')
      const recipientId = await register(account)
      const { key } = await stage.api.issueKey({ scopes: ['recipients:read'] })
      const { body } = await read(key, recipientId)
      expect(body.pairs).to.deep.include({ ...ON_BASE, receive: 'restricted', send: 'restricted' })
    })

    it('are returned as unknown, sooner than the timeout of a node, while no node responds', async () => {
      const { key } = await reader()
      const id = await registerFor(key, someone())
      const asShipped = await stage.api.startAnother(withinASecond)
      answer('hang')
      const startedMs = performance.now()
      const { body } = await read(key, id, asShipped)
      expect(performance.now() - startedMs).to.be.lessThan(9_500)
      await asShipped.stop()
      expect(body.pairs).to.deep.include({ ...ON_BASE, receive: 'unknown', send: 'unknown' })
    })

    it('are not returned for paused pairs, or for any pair of a TRON address', async () => {
      const { key } = await reader()
      const [evm, tron] = [
        await registerFor(key, someone()),
        await registerFor(key, formatTronAddress(someone())),
      ]
      await stage.api.owner`update pairs set paused_at = now() where network <> 'bnb'`
      const { body } = await read(key, evm)
      await stage.api.owner`update pairs set paused_at = null`
      expect(body.pairs).to.deep.equal([
        { token: 'USDT', network: 'bnb', receive: 'allowed', send: 'unknown' },
      ])
      expect((await read(key, tron)).body.pairs).to.deep.equal([])
    })

    it('are returned only for pairs of the key’s environment', async () => {
      const scopes = ['recipients:read', 'recipients:write'] as const
      const { key } = await stage.api.issueKey({ organization: 'org_test', environment: 'test', scopes })
      const { body } = await read(key, await registerFor(key, someone()))
      expect(body.pairs).to.deep.equal([{ ...ON_BASE, receive: 'unknown', send: 'unknown' }])
    })

    it('are hidden by the same 404 for revoked, foreign and malformed ids, and require the scope', async () => {
      const [{ key }, stranger] = [await reader(), await reader()]
      const id = await registerFor(key, someone())
      expectError(await read(stranger.key, id), '404 recipient_not_found')
      await call(stage.api, `DELETE /v1/recipients/${id}`, { key })
      expectError(await read(key, id), '404 recipient_not_found')
      expectError(await read(key, '%ff'), '404 recipient_not_found')
      expectError(await read(await merchant(), id), '403 insufficient_scope')
    })

    it('can be queried 20 times a minute per organization with any of its keys', async () => {
      const [one, two, other] = [await reader('org_busy'), await reader('org_busy'), await reader()]
      const id = await registerFor(one.key, someone())
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => read(index % 2 === 0 ? one.key : two.key, id)),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(Array<number>(20).fill(200))
      const refused = await read(one.key, id)
      expectError(refused, '429 rate_limited')
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
      expect(refused.headers.get('ratelimit-policy')).to.contain('"transferability";q=20;w=60')
      expectError(await read(other.key, id), '404 recipient_not_found')
    })
  })
})
