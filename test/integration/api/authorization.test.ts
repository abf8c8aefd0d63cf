import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { recoverTypedDataAddress } from 'viem'
import {
  type Submission,
  submitAuthorization,
} from '../../../api/charges/pay-by-signature/submit-authorization.ts'
import { respondToRequest } from '../../../shared/db/requests/charge-requests.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { randomHex } from '../../support/factories.ts'
import { interrupted } from '../../support/interrupted.ts'
import { STALE_AFTER } from '../../support/rows.ts'
import {
  createSignable,
  HASH,
  insertSignablePair,
  openRequest,
  PAIR,
  PAYER,
  signPrepared,
  termsOf,
  USDC,
} from '../../support/signing-payer.ts'

/** The two statements that find an earlier submission of a signature. */
const MOMENTS = [
  ['the second submission looks up the request', "payload ->> 'nonce'"],
  ['the second submission looks up the authorization', 'select charge_id, value_atomic'],
] as const

const RELAYER = `0x${'5e'.repeat(20)}`

/*
 * Tests how the endpoints handle the charge and simulated responses of the daemon. test/integration/pay-by-signature
 * uses a real daemon and a chain.
 */
describe('payment by signature through the API', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  beforeEach(async () => {
    await api.owner`update deployments set max_head_at = now()`
    await insertSignablePair(api)
  })

  describe('the prepared authorization', () => {
    it('is typed data of the token for the amount due', async () => {
      const id = await create()
      const { status, body } = await prepare(id)
      expect(status).to.equal(200)
      const [{ typedData, ...pair }] = body.authorizations
      expect(pair).to.deep.include(PAIR)
      expect(typedData.domain).to.deep.include({ name: 'USD Coin', version: '2', chainId: 8453 })
      expect(typedData.message).to.include({ value: '10000000', validAfter: '0', from: PAYER.address })
      const charge = (await read(id)).body
      expect(typedData.message.to).to.equal(charge.address)
      const left = Number(typedData.message.validBefore) - Date.now() / 1000
      expect(left).to.be.within(290, 300)
      const signature = await toSigner(PAYER).signTypedData(typedData)
      expect(await recoverTypedDataAddress({ ...typedData, signature })).to.equal(PAYER.address)
    })

    it('has a new nonce in each response', async () => {
      const id = await create()
      const nonces = [await prepare(id), await prepare(id)].map(
        ({ body }) => body.authorizations[0].typedData.message.nonce,
      )
      expect(new Set(nonces).size).to.equal(2)
    })

    it('excludes an amount that was detected and is not credited yet', async () => {
      const id = await create()
      await see(id, 4)
      const { body } = await prepare(id)
      expect(body.authorizations[0].typedData.message.value).to.equal('6000000')
    })

    it('is not available once the whole amount has been detected, even if no payment is credited', async () => {
      const id = await create()
      await see(id, 10)
      expectError(await prepare(id), '409 charge_not_payable')
    })

    it('is not available for an address with a wrong checksum', async () => {
      const payer = `${PAYER.address.slice(0, -1)}${PAYER.address.endsWith('a') ? 'B' : 'a'}`
      expectError(
        await call(api, `GET /v1/charges/${await create()}/authorization?payer=${payer}`, { key }),
        '400 validation_error',
        'payer',
      )
    })

    it('is not available for an unknown charge', async () => {
      expectError(await prepare(`ch_${'0'.repeat(36)}`), '404 charge_not_found')
    })
  })

  for (const [title, expected, arrange] of [
    [
      'that has expired',
      '409 charge_not_payable',
      (id: string) => api.owner`update charges set status = 'expired' where id = ${id}`,
    ],
    [
      'with less than two minutes left',
      '409 charge_not_payable',
      (id: string) =>
        api.owner`update charges set expires_at = now() + interval '110 seconds' where id = ${id}`,
    ],
    [
      'with an authorization in flight',
      '409 payment_in_progress',
      (id: string) => take(id, { status: 'signed' }),
    ],
    [
      'that was paid by an authorization whose transfer is not detected yet',
      '409 payment_in_progress',
      (id: string) => take(id, { status: 'final' }),
    ],
    [
      'with an authorization request that waits for the daemon',
      '409 payment_in_progress',
      (id: string) => open(id),
    ],
    [
      'with a paused pair',
      '503 payment_temporarily_unavailable',
      () => api.owner`update pairs set paused_at = now() where chain_id = 8453 and token = 'USDC'`,
    ],
    [
      'with a pair that no daemon offers',
      '503 signature_payment_unavailable',
      () => api.owner`delete from signable_pairs`,
    ],
    [
      'with a pair whose offer is outdated',
      '503 signature_payment_unavailable',
      () => api.owner`update signable_pairs set refreshed_at = now() - interval '11 minutes'`,
    ],
    [
      'below the minimum for payment by signature',
      '503 signature_payment_unavailable',
      () => api.owner`update signable_pairs set minimum_micro = 10000001`,
    ],
    [
      'after the daily gas limit is used up',
      '503 signature_payment_unavailable',
      async (id: string) => {
        await take(id, { status: 'expired' })
        await api.owner`update signable_pairs set daily_gas_limit = 399999`
      },
    ],
    [
      'after five, and at least half, of the organization’s authorizations reverted within the hour',
      '503 signature_payment_unavailable',
      async (id: string) => {
        for (const status of ['reverted', 'reverted', 'reverted', 'reverted', 'reverted', 'expired'])
          await take(id, { status })
      },
    ],
  ] as const) {
    it(`rejects preparing and submitting for a charge ${title}`, async () => {
      const id = await create()
      const written = await sign(id)
      await arrange(id)
      try {
        expectError(await prepare(id), expected)
        expectError(await submit(id, written), expected)
      } finally {
        await api.owner`update pairs set paused_at = null`
        await api.owner`truncate authorizations`
      }
    })
  }

  it('is prepared and shown for a pair while only another network of the charge is stale', async () => {
    const accepted = [PAIR, { token: 'USDT', network: 'bnb' }]
    const { id } = (await call(api, 'POST /v1/charges', { key, body: termsOf(accepted) })).body
    expect((await prepare(id)).status).to.equal(200)
    await api.owner`update deployments set max_head_at = now() - interval '5 minutes' where network = 'bnb'`
    expect((await prepare(id)).status).to.equal(200)
    expect((await read(id)).body.payBySignature).to.deep.equal([PAIR])
    await api.owner`update deployments set max_head_at = now() - interval '5 minutes' where network = 'base'`
    expectError(await prepare(id), '503 payment_temporarily_unavailable')
    expect((await read(id)).body.payBySignature).to.deep.equal([])
  })

  it('is neither prepared nor shown on a network that is stale according to a stricter setting', async () => {
    const id = await create()
    const strict = await api.startAnother((config) => ({
      ...config,
      staleAfter: { blocks: 2, atLeastMs: 10_000 },
    }))
    await api.owner`update deployments set max_head_at = now() - interval '1 minute'`
    const path = `GET /v1/charges/${id}/authorization?payer=${PAYER.address}`
    const [there, shown] = [
      await call(strict, path, { key }),
      await call(strict, `GET /v1/charges/${id}`, { key }),
    ]
    await strict.stop()
    expect((await prepare(id)).status, 'by the default').to.equal(200)
    expectError(there, '503 payment_temporarily_unavailable')
    expect(shown.body.payBySignature).to.deep.equal([])
  })

  it('is prepared if fewer than five, or less than half, of the organization’s authorizations reverted', async () => {
    const id = await create()
    for (const status of ['reverted', 'reverted', 'reverted', 'reverted']) await take(id, { status })
    expect((await prepare(id)).status).to.equal(200)
    for (const status of ['reverted', 'final', 'final', 'final', 'final', 'final', 'final'])
      await take(await create(), { status })
    expect((await prepare(id)).status).to.equal(200)
    await api.owner`truncate authorizations`
  })

  describe('a submitted authorization', () => {
    let id: string
    let written: Record<string, string>

    beforeEach(async () => {
      id = await create()
      written = await sign(id)
    })

    it('returns the charge when it is mined', async () => {
      const submitted = submit(id, written)
      const request = await openRequest(api, id)
      await take(id, { status: 'mined', nonce: written['nonce'], request })
      await respondToRequest(api.owner, request, { outcome: 'mined', txHash: HASH })
      const { status, body } = await submitted
      expect(status).to.equal(200)
      expect(body.authorization).to.deep.equal({
        state: 'mined',
        txHash: HASH,
        ...PAIR,
        payer: PAYER.address,
      })
      expect(body.status).to.equal('pending')
    })

    it('is deleted from the request once the daemon has responded', async () => {
      const submitted = submit(id, written)
      const request = await openRequest(api, id)
      await respondToRequest(api.owner, request, {
        outcome: 'refused',
        code: 'insufficient_balance',
        message: 'too little',
      })
      expectError(await submitted, '422 insufficient_balance')
      const [row] = await api.owner`select payload from requests where id = ${request}`
      expect(row?.['payload']).to.deep.equal({})
    })

    it('is rejected with the daemon’s reason', async () => {
      const submitted = submit(id, written)
      const refusal = {
        outcome: 'refused',
        code: 'authorization_invalid',
        message: 'the signature is not the payer’s',
        param: 'signature',
      }
      await respondToRequest(api.owner, await openRequest(api, id), refusal)
      expectError(await submitted, '400 authorization_invalid', 'signature')
    })

    it('is reported as mined to a second submission if it was mined although its request was rejected', async () => {
      const first = submit(id, written)
      const request = await openRequest(api, id)
      const refusal = {
        outcome: 'refused',
        code: 'authorization_used',
        message: 'the authorization was used before',
      }
      const sql = interrupted(api.owner, 'select response', async () => {
        await take(id, { status: 'mined', nonce: written['nonce'], request })
        await respondToRequest(api.owner, request, refusal)
      })
      expect(await submitDirectly({ sql })).to.deep.equal({ type: 'mined', txHash: HASH })
      expect((await first).status).to.equal(200)
    })

    it('is sent to the daemon once if it is submitted several times', async () => {
      const submitted = Array.from({ length: 8 }, () => submit(id, written))
      const request = await openRequest(api, id)
      await take(id, { status: 'mined', nonce: written['nonce'], request })
      await respondToRequest(api.owner, request, { outcome: 'mined', txHash: HASH })
      const answers = await Promise.all(submitted)
      expect(answers.map(({ status, body }) => [status, body.authorization?.txHash])).to.deep.equal(
        answers.map(() => [200, HASH]),
      )
      const [count] = await api.owner`select count(*)::int from requests where charge_id = ${id}`
      expect(count).to.deep.equal({ count: 1 })
    })

    for (const [moment, asked] of MOMENTS) {
      it(`returns the mined payment to a simultaneous second submission if the payment is mined before ${moment}`, async () => {
        let request = ''
        const copies: Promise<Answer>[] = []
        const losing = interrupted(api.owner, 'with asked as', async () => {
          copies.push(submit(id, written))
          request = await openRequest(api, id)
        })
        const sql = interrupted(losing, { asked, time: 2 }, async () => {
          await take(id, { status: 'mined', nonce: written['nonce'], request })
          await respondToRequest(api.owner, request, { outcome: 'mined', txHash: HASH })
        })
        expect(await submitDirectly({ sql })).to.deep.equal({ type: 'mined', txHash: HASH })
        expect((await Promise.all(copies)).map(({ status }) => status)).to.deep.equal([200])
      })
    }

    it('returns its current state when it is submitted again, even if the charge has expired', async () => {
      await take(id, { status: 'final', nonce: written['nonce'] })
      await api.owner`update charges set status = 'expired' where id = ${id}`
      const { status, body } = await submit(id, written)
      expect([status, body.authorization.state]).to.deep.equal([200, 'mined'])
      expectError(await submit(id, { ...written, value: '9999999' }), '409 authorization_used')
    })

    it('returns its current state if the first submission has paid the charge in the meantime', async () => {
      const sql = interrupted(api.owner, 'c.received_atto,', async () => {
        await take(id, { status: 'mined', nonce: written['nonce'] })
        await see(id, 10)
      })
      expect(await submitDirectly({ sql })).to.deep.equal({ type: 'mined', txHash: HASH })
    })

    it('returns its current state even if the rate limit would reject a new authorization', async () => {
      await take(id, { status: 'mined', nonce: written['nonce'] })
      const limit = () => Promise.reject(new Error('one too many'))
      expect(await submitDirectly({ sql: api.owner }, limit)).to.deep.equal({ type: 'mined', txHash: HASH })
    })

    it('is reported as pending while its request is open, and as service_unavailable after its cancellation', async () => {
      const { token: _, network: __, ...rest } = written
      const payload = { chainId: 8453, token: USDC, ...rest, from: PAYER.address.toLowerCase() }
      await api.owner`
        insert into requests (id, kind, organization_id, charge_id, payload)
        values (${randomHex(8)}, 'authorization', 'org_one', ${id}, ${api.owner.json(payload)})`
      expect(await submitDirectly({ sql: api.owner, waitMs: 300 })).to.deep.equal({
        ...{ type: 'pending', txHash: null },
      })
      // The request is canceled while a second submission waits for the response.
      const withdraw = () => api.owner`delete from requests where charge_id = ${id}`
      const sql = interrupted(api.owner, 'select response', withdraw)
      const told = await submitDirectly({ sql, waitMs: 300 }).catch((error: unknown) => error)
      expect(told).to.include({ code: 'service_unavailable' })
    })

    const submitDirectly = async (
      deps: Omit<Parameters<typeof submitAuthorization>[0], 'config'>,
      limit?: Submission['limit'],
    ) => {
      const { token: _, network: __, ...rest } = written
      const payment = {
        chainId: 8453,
        token: USDC,
        written: { ...rest, to: (await read(id)).body.address },
      } as unknown as Submission['payment']
      return submitAuthorization(
        { ...deps, config: { staleAfter: STALE_AFTER } },
        {
          ctx: { state: { request_id: randomUUID() } } as never,
          charge: { id, organizationId: 'org_one' },
          payment,
          ...(limit && { limit }),
        },
      )
    }

    for (const [status, state, expected, param] of [
      ['canceled', 'canceled', '409 authorization_used', undefined],
      ['reverted', 'reverted', '400 authorization_invalid', 'signature'],
      ['expired', 'lapsed', '400 authorization_invalid', 'validBefore'],
    ] as const) {
      it(`is reported as ${state} when it is submitted again`, async () => {
        await take(id, { status, nonce: written['nonce'] })
        expectError(await submit(id, written), expected, param)
        expect((await read(id)).body.authorization).to.include({ state })
      })
    }

    it('is rejected if its nonce differs from the nonce of the authorization in flight', async () => {
      const first = submit(id, written)
      const request = await openRequest(api, id)
      expectError(await submit(id, { ...written, nonce: randomHex(32) }), '409 payment_in_progress')
      await respondToRequest(api.owner, request, { outcome: 'mined', txHash: HASH })
      await first
    })

    for (const [param, change] of [
      ['value', { value: '9999999' }],
      ['value', { value: '10000001' }],
      ['value', { value: '-1' }],
      ['value', { value: `1${'0'.repeat(78)}` }],
      ['from', { from: 'me' }],
      ['nonce', { nonce: '0x00' }],
      ['validAfter', { validAfter: '9999999999' }],
      ['validBefore', { validBefore: '9999999999' }],
      ['validBefore', { validBefore: String(Math.floor(Date.now() / 1000)) }],
      ['signature', { signature: `0x${'00'.repeat(65)}${'6492'.repeat(16)}` }],
    ] as const) {
      it(`is rejected with a wrong ${JSON.stringify(change).slice(1, 50)}`, async () => {
        expectError(await submit(id, { ...written, ...change }), '400 authorization_invalid', param)
      })
    }

    it('is rejected without a request to the daemon if its signature has a form that no key produces', async () => {
      const signature = String(written['signature'])
      const v = Number.parseInt(signature.slice(-2), 16) - 27
      const wrong = { ...written, signature: `${signature.slice(0, -2)}0${v}` }
      expectError(await submit(id, wrong), '400 authorization_invalid', 'signature')
      expect(await api.owner`select from requests where charge_id = ${id}`).to.deep.equal([])
    })

    it('is sent to the daemon if another key signed, because the payer might be a contract', async () => {
      const from = ACCOUNTS.keeper.address
      const submitted = submit(id, { ...written, from })
      const request = await openRequest(api, id)
      const refusal = { outcome: 'refused', code: 'authorization_invalid', message: 'no', param: 'signature' }
      await respondToRequest(api.owner, request, refusal)
      expectError(await submitted, '400 authorization_invalid', 'signature')
    })

    it('is rejected for a pair that the charge does not accept', async () => {
      expectError(await submit(id, { ...written, token: 'USDT' }), '422 payment_pair_not_accepted', 'token')
    })

    it('is limited to ten submissions a minute per charge', async () => {
      const wrong = { ...written, value: '1' }
      for (let count = 1; count <= 10; count += 1)
        expectError(await submit(id, wrong), '400 authorization_invalid', 'value')
      expectError(await submit(id, wrong), '429 rate_limited')
    })
  })

  describe('a charge', () => {
    it('shows the pairs that can be paid by signature when it is created and when it is read', async () => {
      const made = await call(api, 'POST /v1/charges', {
        key,
        body: termsOf([PAIR, { token: 'USDT', network: 'base' }]),
      })
      expect(made.body.payBySignature).to.deep.equal([PAIR])
      expect((await read(made.body.id)).body.payBySignature).to.deep.equal([PAIR])
      await api.owner`delete from signable_pairs`
      expect((await read(made.body.id)).body.payBySignature).to.deep.equal([])
    })

    it('does not show pairs that can be paid by signature once it has ended', async () => {
      const id = await create()
      await api.owner`update charges set status = 'expired' where id = ${id}`
      expect((await read(id)).body.payBySignature).to.deep.equal([])
      expect((await read(id)).body.authorization).to.equal(null)
    })
  })

  const prepare = (id: string): Promise<Answer> =>
    call(api, `GET /v1/charges/${id}/authorization?payer=${PAYER.address}`, { key })
  const submit = (id: string, body: object): Promise<Answer> =>
    call(api, `POST /v1/charges/${id}/authorization`, { key, body })
  const read = (id: string): Promise<Answer> => call(api, `GET /v1/charges/${id}`, { key })

  async function create(): Promise<string> {
    return (await createSignable({ api, key })).id
  }

  async function sign(id: string): Promise<Record<string, string>> {
    return signPrepared((await prepare(id)).body.authorizations[0].typedData)
  }

  /** Inserts a detected transfer that is not credited yet. */
  async function see(id: string, dollars: number): Promise<void> {
    await api.owner`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number)
      values (${id}, 'base', 'USDC', 'contract_watcher', 8453, ${USDC}, ${randomHex(32)}, 0, ${RELAYER},
        ${String(dollars * 1_000_000)}, ${String(BigInt(dollars) * 10n ** 18n)}, true, 'included', 1)`
  }

  /** Inserts an authorization that the daemon has accepted. */
  async function take(
    id: string,
    {
      status,
      nonce = randomHex(32),
      request = randomHex(8),
    }: { status: string; nonce?: string | undefined; request?: string },
  ): Promise<void> {
    await api.owner`
      with relayer as (
        insert into relayers as r (chain_id, address, next_nonce) values (8453, ${RELAYER}, 1)
        on conflict (chain_id, address) do update set next_nonce = r.next_nonce + 1
        returning chain_id, address, next_nonce)
      insert into authorizations (request_id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest,
        value_atomic, valid_before, from_block, relayer, relayer_nonce, status, tx_hash, ended_at)
      select ${request}, 'org_one', ${id}, 8453, ${USDC}, ${PAYER.address.toLowerCase()}, ${nonce}, ${randomHex(32)},
        10000000, 1, 1, address, next_nonce, ${status}, ${HASH},
        case when ${status} not in ('signed', 'mined') then now() end from relayer`
  }

  /** Inserts an authorization request that waits for the daemon. */
  async function open(id: string): Promise<void> {
    await api.owner`
      insert into requests (id, kind, organization_id, charge_id, payload)
      values (${randomHex(8)}, 'authorization', 'org_one', ${id}, '{}')`
  }
})
