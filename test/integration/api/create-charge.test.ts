import { expect } from 'chai'
import { parseEvmAddress } from '../../../shared/domain/address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'
import { address, MERCHANT, startTestApi, type TestApi, TREASURY } from '../../support/api.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'

const USDC_BASE = { token: 'USDC', network: 'base' }

const CHARGE = { amount: 10, acceptedPayments: [USDC_BASE], expiresIn: 600 }

const COUNT_JUDGEMENTS = `
  create sequence judgements;
  alter function validate_terms(charge_terms[]) rename to judge_terms_of;
  create function validate_terms(wanted charge_terms[]) returns boolean
    language plpgsql stable set search_path = public, pg_temp as $$
  begin
    perform setval('judgements', nextval('judgements') + cardinality(wanted) - 1);
    return judge_terms_of(wanted);
  end $$;`
const COUNT_NO_MORE = `
  drop function validate_terms(charge_terms[]);
  alter function judge_terms_of(charge_terms[]) rename to validate_terms;
  drop sequence judgements;`

describe('POST /v1/charges', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  const create = (body: unknown, withKey = key): Promise<Answer> =>
    call(api, 'POST /v1/charges', { key: withKey, body })
  const createText = (text: string): Promise<Answer> => call(api, 'POST /v1/charges', { key, text })

  it('returns a charge with all requested values and no received amount', async () => {
    const asked = { externalRef: 'order 7', source: 'shop', redirectUrl: 'https://example.com/thanks' }
    const answer = await create({ ...CHARGE, ...asked })
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    expect(answer.headers.get('idempotent-replayed')).to.equal(null)
    expect(answer.body).to.deep.include({
      ...asked,
      amount: 10,
      amountExact: '10',
      feePayer: 'merchant',
      feePercent: 1,
      feeAmount: 0.1,
      merchantAmount: 9.9,
      amountReceived: null,
      amountReceivedExact: null,
      isOverpaid: false,
      currency: 'USD',
      acceptedPayments: [USDC_BASE],
      paidWith: [],
      swapAlternatives: [],
      status: 'pending',
      settlementStatus: null,
      environment: 'live',
      txHash: null,
      metadata: null,
      checkoutUrl: null,
      splitRecipients: [],
      confirmedAt: null,
      settledAt: null,
      escrow: null,
    })
    expect(answer.body.lastActivityAt).to.equal(answer.body.createdAt)
    expect(Date.parse(answer.body.expiresAt) - Date.parse(answer.body.createdAt)).to.equal(600_000)
  })

  it('validates the terms of each charge once, even if many charges are created at the same time', async () => {
    await api.owner.unsafe(COUNT_JUDGEMENTS)
    try {
      const made = await Promise.all(Array.from({ length: 30 }, () => create(CHARGE)))
      expect(made.map(({ status }) => status)).to.deep.equal(made.map(() => 201))
      const [row] = await api.owner<{ count: string }[]>`select last_value::text as count from judgements`
      expect(row?.count).to.equal('30')
    } finally {
      await api.owner.unsafe(COUNT_NO_MORE)
    }
  })

  it('returns an address that can be predicted from the terms in the response', async () => {
    const { body } = await create(CHARGE)
    const { addressTerms } = body
    const recipients = addressTerms.recipients as { address: string; allocation: number }[]
    expect(recipients.map((one) => [parseEvmAddress(one.address), one.allocation])).to.deep.equal([
      [MERCHANT, 990_991],
      [TREASURY, 9_009],
    ])
    expect(addressTerms.salt).to.equal(chargeSalt(body.id))
    const predicted = predictSplitAddress({
      factory: SPLIT_FACTORY,
      implementation: SPLIT_IMPLEMENTATION,
      salt: addressTerms.salt,
      split: {
        recipients: recipients.map((one) => address(one.address)),
        allocations: recipients.map((one) => one.allocation),
        totalAllocation: addressTerms.totalAllocation,
        distributionIncentive: addressTerms.distributionIncentive,
      },
    })
    expect(parseEvmAddress(body.address)).to.equal(predicted)
  })

  it('stores the charge and its charge.created event, which is the response without availability fields', async () => {
    const { text, body } = await create({ ...CHARGE, metadata: { a: 1 } })
    const [event] = await api.owner`
      select type, category, organization_id, environment, data from events where charge_id = ${body.id}`
    expect(event).to.deep.equal({
      type: 'charge.created',
      category: 'payments',
      organizationId: 'org_one',
      environment: 'live',
      // The event never changes, so it omits the fields that depend on the networks' current availability.
      data: text.replace(/"paymentUnavailable":false,.*"payBySignature":\[\],/, ''),
    })
    const read = await call(api, `GET /v1/charges/${body.id}`, { key })
    expect(read.body).to.deep.equal(body)
    expect(body.paymentUnavailable).to.equal(false)
  })

  it('lists the pairs whose network is stale as unavailable in the response', async () => {
    await api.owner`update deployments set max_head_at = now() - interval '121 seconds' where chain_id = 56`
    const onBoth = { acceptedPayments: [USDC_BASE, { token: 'USDT', network: 'bnb' }] }
    const { status, body } = await create({ ...CHARGE, ...onBoth })
    const other = await create({ ...CHARGE, acceptedPayments: [{ token: 'USDT', network: 'bnb' }] })
    await api.owner`update deployments set max_head_at = now()`
    expect([status, body.paymentUnavailable]).to.deep.equal([201, false])
    expect(body.unavailablePayments).to.deep.equal([{ token: 'USDT', network: 'bnb' }])
    expect(dueOf(body)).to.deep.equal(['10', null])
    expect([other.body.paymentUnavailable, ...dueOf(other.body)]).to.deep.equal([true, null])
  })

  it('sets createdAt to the database’s time', async () => {
    const [before] = await api.owner<[{ now: Date }]>`select now() as now`
    const { body } = await create(CHARGE)
    const [after] = await api.owner<[{ now: Date }]>`select now() as now`
    expect(Date.parse(body.createdAt)).to.be.within(before.now.getTime(), after.now.getTime())
  })

  it('parses amounts from their text and truncates after six digits', async () => {
    const amounts: readonly (readonly [sent: string, exact: string])[] = [
      ['99999999999.123456', '99999999999.123456'],
      ['999999999999', '999999999999'],
      ['0.000001', '0.000001'],
      ['1.9999999', '1.999999'],
      ['1e2', '100'],
      ['10.50', '10.5'],
    ]
    for (const [sent, exact] of amounts) {
      const answer = await createText(
        JSON.stringify({ ...CHARGE, amount: 0 }).replace('"amount":0', `"amount":${sent}`),
      )
      expect(answer.body.amountExact, `${sent}: ${answer.text}`).to.equal(exact)
    }
  })

  it('adds the fee to the amount if the payer pays the fee', async () => {
    const { body } = await create({ ...CHARGE, amount: 100, feePayer: 'payer' })
    expect(body).to.include({ amountExact: '101.010102', feePayer: 'payer', feePercent: 1 })
    expect(body.merchantAmount).to.be.at.least(100)
  })

  it("keeps the organization's fee of the time of creation", async () => {
    const other = await api.issueKey({ organization: 'org_cheap' })
    await api.owner`update organizations set fee_percent = 0.25 where id = 'org_cheap'`
    const { body } = await create(CHARGE, other.key)
    expect(body.feePercent).to.equal(0.25)
    await api.owner`update organizations set fee_percent = 5 where id = 'org_cheap'`
    const read = await call(api, `GET /v1/charges/${body.id}`, { key: other.key })
    expect(read.body.feePercent).to.equal(0.25)
  })

  it('omits the treasury if there is no fee', async () => {
    const other = await api.issueKey({ organization: 'org_free' })
    await api.owner`update organizations set fee_percent = 0 where id = 'org_free'`
    const { body } = await create(CHARGE, other.key)
    expect(body.addressTerms.recipients.map((one: { allocation: number }) => one.allocation)).to.deep.equal([
      1_000_000,
    ])
  })

  it('returns metadata with its original text', async () => {
    const metadata = '{"z": 1.50,"a":[1e3, {"b" : "\\u00e9"}], "big":12345678901234567890}'
    const answer = await createText(
      JSON.stringify({ ...CHARGE, metadata: 0 }).replace('"metadata":0', `"metadata":${metadata}`),
    )
    expect(answer.text).to.contain(`"metadata":${metadata}`)
    const read = await call(api, `GET /v1/charges/${answer.body.id}`, { key })
    expect(read.text).to.contain(`"metadata":${metadata}`)
  })

  it('accepts 16 KiB of metadata text in addition to the checkout’s products', async () => {
    const products = Array.from({ length: 20 }, () => ({
      name: 'n'.repeat(200),
      imageUrl: `https://x.example/${'i'.repeat(2000)}`,
    }))
    const own = (bytes: number) => `"é":"${'x'.repeat(bytes - '{"é":"","service":}'.length - 1)}"`
    const metadata = (bytes: number) => `{${own(bytes)},"service":${JSON.stringify({ products })}}`
    const text = (bytes: number) =>
      JSON.stringify({ ...CHARGE, metadata: 0 }).replace('"metadata":0', `"metadata":${metadata(bytes)}`)
    const answer = await call(api, 'POST /v1/charges', { key, text: text(16 * 1024) })
    expect(answer.status, answer.text).to.equal(201)
    const over = await call(api, 'POST /v1/charges', { key, text: text(16 * 1024 + 1) })
    expectError(over, '400 validation_error', 'metadata')
    expect(over.body.error.message).to.include('16385 bytes').and.to.include('16384')
  })

  it('accepts products in the reserved metadata key, next to other keys', async () => {
    const products = [
      { name: 'Tea', quantity: 2, imageUrl: 'HTTPS://example.com/tea.png' },
      { name: 'x'.repeat(200) },
    ]
    const answer = await create({ ...CHARGE, metadata: { service: { products }, mine: null } })
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.body.metadata.service.products).to.deep.equal(products)
  })

  describe('returns validation_error for', () => {
    const pairs = (count: number): unknown[] => Array.from({ length: count }, () => USDC_BASE)
    const product = { name: 'Tea' }
    const cases: readonly (readonly [title: string, change: object, param: string])[] = [
      ['no amount', { amount: undefined }, 'amount'],
      ['a zero amount', { amount: 0 }, 'amount'],
      ['a negative amount', { amount: -1 }, 'amount'],
      ['an amount that truncates to zero', { amount: 0.0000001 }, 'amount'],
      ['an amount above the maximum', { amount: 1_000_000_000_000 }, 'amount'],
      ['an amount in quotes', { amount: '10' }, 'amount'],
      ['an unknown fee payer', { feePayer: 'nobody' }, 'feePayer'],
      ['another currency', { currency: 'EUR' }, 'currency'],
      ['no pairs', { acceptedPayments: [] }, 'acceptedPayments'],
      ['19 pairs', { acceptedPayments: pairs(19) }, 'acceptedPayments'],
      [
        'an unknown token',
        { acceptedPayments: [USDC_BASE, { token: 'DAI', network: 'base' }] },
        'acceptedPayments[1].token',
      ],
      [
        'an unknown network',
        { acceptedPayments: [{ token: 'USDC', network: 'solana' }] },
        'acceptedPayments[0].network',
      ],
      ['a duplicate pair', { acceptedPayments: [USDC_BASE, USDC_BASE] }, 'acceptedPayments[1]'],
      [
        'TRON mixed with EVM, although TRON is not configured',
        { acceptedPayments: [USDC_BASE, { token: 'USDT', network: 'tron' }] },
        'acceptedPayments[1].network',
      ],
      ['an expiry time below the minimum', { expiresIn: 59 }, 'expiresIn'],
      ['an expiry time above the maximum', { expiresIn: 3601 }, 'expiresIn'],
      ['an expiry time with a fraction of a second', { expiresIn: 60.5 }, 'expiresIn'],
      ['an empty idempotency key', { idempotencyKey: '' }, 'idempotencyKey'],
      ['a long idempotency key', { idempotencyKey: 'x'.repeat(256) }, 'idempotencyKey'],
      ['a long externalRef', { externalRef: 'x'.repeat(256) }, 'externalRef'],
      ['a long source', { source: 'x'.repeat(65) }, 'source'],
      ['a NUL character', { source: 'a\0b' }, 'source'],
      ['a NUL character in nested metadata', { metadata: { a: [{ b: '\0' }] } }, 'metadata.a[0].b'],
      ['metadata that is not an object', { metadata: [] }, 'metadata'],
      [
        '21 products',
        { metadata: { service: { products: Array.from({ length: 21 }, () => product) } } },
        'metadata.service.products',
      ],
      [
        'a product without name',
        { metadata: { service: { products: [{}] } } },
        'metadata.service.products[0].name',
      ],
      [
        'a quantity above the maximum',
        { metadata: { service: { products: [{ ...product, quantity: 10_000 }] } } },
        'metadata.service.products[0].quantity',
      ],
      [
        'an image URL with another scheme',
        { metadata: { service: { products: [{ ...product, imageUrl: 'javascript:1' }] } } },
        'metadata.service.products[0].imageUrl',
      ],
      [
        'an unknown field in the reserved key',
        { metadata: { service: { other: 1 } } },
        'metadata.service.other',
      ],
      ['a redirect that is not a URL', { redirectUrl: '/thanks' }, 'redirectUrl'],
      [
        'a redirect with credentials',
        { redirectUrl: 'https://me:secret@shop.example/thanks' },
        'redirectUrl',
      ],
      [
        'an image URL with a private host',
        { metadata: { service: { products: [{ ...product, imageUrl: 'https://192.168.0.1/tea.png' }] } } },
        'metadata.service.products[0].imageUrl',
      ],
      ['a redirect with another scheme', { redirectUrl: 'javascript:alert(1)' }, 'redirectUrl'],
      [
        'six recipients',
        { splitRecipients: Array.from({ length: 6 }, () => ({ recipientId: 'rc_1', percent: 1 })) },
        'splitRecipients',
      ],
      [
        'a percentage of zero',
        { splitRecipients: [{ recipientId: 'rc_1', percent: 0 }] },
        'splitRecipients[0].percent',
      ],
      [
        'a percentage above 100',
        { splitRecipients: [{ recipientId: 'rc_1', percent: 100.1 }] },
        'splitRecipients[0].percent',
      ],
      [
        'an empty label',
        { splitRecipients: [{ recipientId: 'rc_1', percent: 1, label: '' }] },
        'splitRecipients[0].label',
      ],
      [
        'a releaser in upper case',
        { escrow: { releaserAddress: `0x${'A'.repeat(40)}` } },
        'escrow.releaserAddress',
      ],
      ['an unknown field', { payoutAddress: MERCHANT }, 'payoutAddress'],
    ]
    for (const [title, change, param] of cases) {
      it(title, async () => {
        const answer = await create({ ...CHARGE, ...change })
        expectError(answer, '400 validation_error', param === '' ? undefined : param)
      })
    }

    it('a percentage with 21 fractional digits', async () => {
      const text = JSON.stringify({ ...CHARGE, splitRecipients: [{ recipientId: 'rc_1', percent: 0 }] })
      const answer = await createText(text.replace('"percent":0', '"percent":1.000000000000000000001'))
      expectError(answer, '400 validation_error', 'splitRecipients[0].percent')
    })

    it('any invalid field, even if a pair is unsupported, too', async () => {
      const unknown = { token: 'USDC', network: 'polygon' }
      expectError(
        await create({ ...CHARGE, acceptedPayments: [unknown], expiresIn: 1 }),
        '400 validation_error',
        'expiresIn',
      )
    })
  })

  it('rejects unconfigured pairs, and names the first unconfigured pair', async () => {
    const acceptedPayments = [
      USDC_BASE,
      { token: 'USDT', network: 'polygon' },
      { token: 'USDC', network: 'arbitrum' },
    ]
    expectError(
      await create({ ...CHARGE, acceptedPayments }),
      '422 token_not_supported',
      'acceptedPayments[1]',
    )
  })

  it('rejects a pair for a test key if only the live environment has it', async () => {
    const test = await api.issueKey({ environment: 'test' })
    expect((await create(CHARGE, test.key)).body.environment).to.equal('test')
    const acceptedPayments = [{ token: 'USDT', network: 'base' }]
    expectError(
      await create({ ...CHARGE, acceptedPayments }, test.key),
      '422 token_not_supported',
      'acceptedPayments[0]',
    )
  })

  it('rejects TRON for a key without a TRON payout address, even if no TRON contracts are configured', async () => {
    const acceptedPayments = [{ token: 'USDT', network: 'tron' }]
    const answer = await create({ ...CHARGE, acceptedPayments })
    expectError(answer, '422 payout_address_missing', 'acceptedPayments')
    expect(answer.body.error.message).to.include('on tron').and.to.include('--tron-payout-address')
  })

  it('rejects TRON while no TRON contracts are configured', async () => {
    const acceptedPayments = [{ token: 'USDT', network: 'tron' }]
    const { key } = await api.issueKey({ otherPayoutAddresses: { tron: MERCHANT } })
    const answer = await create({ ...CHARGE, acceptedPayments }, key)
    expectError(answer, '422 token_not_supported', 'acceptedPayments[0]')
    expect(answer.body.error.message).to.include('no contracts are configured')
  })

  describe('when the state of a pair changes', () => {
    const BNB = { token: 'USDT', network: 'bnb' }
    const acceptedPayments = [USDC_BASE, BNB]
    afterEach(async () => {
      await api.owner`update pairs set paused_at = null, enabled = true`
      await api.owner`update deployments set contracts_match = true`
    })

    it('rejects a paused pair immediately', async () => {
      await api.owner`update pairs set paused_at = now() where network = 'bnb'`
      const answer = await create({ ...CHARGE, acceptedPayments })
      expectError(answer, '503 payment_temporarily_unavailable', 'acceptedPayments[1]')
      expect(answer.headers.get('retry-after')).to.match(/^\d+$/)
    })

    it('rejects a pair whose contracts could not be read', async () => {
      await api.owner`update deployments set contracts_match = null where network = 'bnb'`
      expectError(await create({ ...CHARGE, acceptedPayments }), '503 rpc_unavailable', 'acceptedPayments[1]')
    })

    it('rejects a pair whose contracts differ from ours', async () => {
      await api.owner`update deployments set contracts_match = false where network = 'bnb'`
      expectError(
        await create({ ...CHARGE, acceptedPayments }),
        '422 token_not_supported',
        'acceptedPayments[1]',
      )
    })

    it('names a disabled pair before a paused pair', async () => {
      await api.owner`update pairs set paused_at = now() where network = 'base'`
      await api.owner`update pairs set enabled = false where network = 'bnb'`
      expectError(
        await create({ ...CHARGE, acceptedPayments }),
        '422 token_not_supported',
        'acceptedPayments[1]',
      )
    })
  })

  describe('with an idempotency key', () => {
    const asked = { ...CHARGE, metadata: { b: 1, a: { d: 1, c: 2 } } }

    it('returns the existing charge in its current state', async () => {
      const first = await create({ ...asked, idempotencyKey: 'again' })
      await api.owner`
        update charges set received_atto = 1, on_time_atto = 1, status = 'partially_paid' where id = ${first.body.id}`
      const second = await create({ ...asked, idempotencyKey: 'again' })
      expect(second.status).to.equal(201)
      expect(second.headers.get('idempotent-replayed')).to.equal('true')
      expect(second.body).to.include({ id: first.body.id, status: 'partially_paid' })
    })

    it('accepts a different spelling of the same body as the same request', async () => {
      const first = await create({ ...asked, idempotencyKey: 'spelling' })
      const second = await createText(
        `{"idempotencyKey":"spelling", "feePayer":"merchant", "currency":"USD", "expiresIn":6e2,
          "metadata":{"a":{"c":2,"d":1},"b":1.0}, "acceptedPayments":[{"network":"base","token":"USDC"}], "amount":10.00}`,
      )
      expect(second.body.id, second.text).to.equal(first.body.id)
    })

    it('treats a missing list of split recipients like an empty list', async () => {
      const { key: splitting } = await api.issueKey({ scopes: ['charges:write', 'charges:split_write'] })
      const first = await create({ ...asked, idempotencyKey: 'nobody', splitRecipients: [] }, splitting)
      const second = await create({ ...asked, idempotencyKey: 'nobody' })
      expect(second.body.id, second.text).to.equal(first.body.id)
    })

    it('rejects metadata whose numbers differ beyond the precision of a double', async () => {
      const text = JSON.stringify({ ...asked, idempotencyKey: 'digits', metadata: { order: 0 } })
      await createText(text.replace('"order":0', '"order":9007199254740993'))
      const answer = await createText(text.replace('"order":0', '"order":9007199254740992'))
      expectError(answer, '409 idempotency_key_reused', 'idempotencyKey')
    })

    it('rejects a different body', async () => {
      await create({ ...asked, idempotencyKey: 'other' })
      for (const change of [{ amount: 11 }, { expiresIn: 601 }, { metadata: { b: 2 } }, { source: 'shop' }]) {
        const answer = await create({ ...asked, ...change, idempotencyKey: 'other' })
        expectError(answer, '409 idempotency_key_reused', 'idempotencyKey')
      }
    })

    it('rejects a repetition with an API key of the organization that has a different payout address', async () => {
      const other = await api.issueKey({
        payoutAddress: address('0x00000000000000000000000000000000000000bb'),
      })
      await create({ ...asked, idempotencyKey: 'wallet' })
      expectError(
        await create({ ...asked, idempotencyKey: 'wallet' }, other.key),
        '409 idempotency_key_reused',
        'idempotencyKey',
      )
    })

    it('creates another charge for the same key in another organization or environment', async () => {
      const other = await api.issueKey({ organization: 'org_two' })
      const test = await api.issueKey({ environment: 'test' })
      const answers = [
        await create({ ...asked, idempotencyKey: 'mine' }),
        await create({ ...asked, idempotencyKey: 'mine' }, other.key),
        await create({ ...asked, idempotencyKey: 'mine' }, test.key),
      ]
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(3)
    })

    it('creates one charge for many simultaneous requests to two processes', async () => {
      const another = await api.startAnother()
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, index) => {
          const { baseUrl } = index % 2 === 0 ? api : another
          const body = { ...asked, idempotencyKey: 'at once' }
          return call({ ...api, baseUrl }, 'POST /v1/charges', { key, body })
        }),
      )
      await another.stop()
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1)
      expect(answers.filter((one) => one.headers.get('idempotent-replayed') === null)).to.have.length(1)
      const events = await api.owner`select from events where charge_id = ${answers[0]?.body.id}`
      expect(events).to.have.length(1)
    })

    it('returns the existing charge even if its pair has been paused since', async () => {
      const first = await create({ ...asked, idempotencyKey: 'paused' })
      await api.owner`update pairs set paused_at = now() where network = 'base'`
      const second = await create({ ...asked, idempotencyKey: 'paused' })
      await api.owner`update pairs set paused_at = null`
      expect(second.body.id, second.text).to.equal(first.body.id)
      expect(second.body.paymentUnavailable).to.equal(true)
    })
  })

  describe('with split recipients', () => {
    const PARTNER = address('0x00000000000000000000000000000000000000cc')
    let split: string

    before(async () => {
      ;({ key: split } = await api.issueKey({
        scopes: ['charges:read', 'charges:write', 'charges:split_write'],
      }))
    })

    const register = async (row: Readonly<Record<string, unknown>> = {}): Promise<string> => {
      const recipient = {
        id: newId('rc', Date.now()),
        organization_id: 'org_one',
        environment: 'live',
        address: PARTNER,
        family: 'evm',
        ...row,
      }
      await api.owner`insert into recipients ${api.owner(recipient)}
        on conflict (organization_id, environment, address, family) do update set id = excluded.id, revoked_at = excluded.revoked_at`
      return recipient.id
    }
    const createSplit = (splitRecipients: readonly object[], change: object = {}): Promise<Answer> =>
      create({ ...CHARGE, ...change, splitRecipients }, split)

    it('stores the recipients’ addresses, and returns the percentages', async () => {
      const recipientId = await register()
      const { body, text } = await createSplit([
        { recipientId, percent: 33.333333, label: 'partner' },
        { recipientId, percent: 10 },
      ])
      expect(body.splitRecipients, text).to.deep.equal([
        { address: '0x00000000000000000000000000000000000000cc', percent: 33.333333, label: 'partner' },
        { address: '0x00000000000000000000000000000000000000cc', percent: 10 },
      ])
      expect(body.addressTerms.recipients.map((one: { allocation: number }) => one.allocation)).to.deep.equal(
        [
          // The recipients get 33.333333 % and 10 % of the merchant's 990,991, which is 99 % of a payment.
          561_562, 330_330, 99_099, 9_009,
        ],
      )
    })

    it('accepts percentages with 20 fractional digits, sums them exactly, and returns them unchanged', async () => {
      const recipientId = await register()
      const createText = (...percents: readonly string[]) =>
        call(api, 'POST /v1/charges', {
          key: split,
          text: JSON.stringify({ ...CHARGE, splitRecipients: [] }).replace(
            '"splitRecipients":[]',
            `"splitRecipients":[${percents.map((percent) => `{"recipientId":"${recipientId}","percent":${percent}}`).join()}]`,
          ),
        })
      const third = String(100 / 3)
      const answer = await createText(third, '0.00000000000000000001', '1.50e-3')
      expect(answer.status, answer.text).to.equal(201)
      for (const text of [third, '0.00000000000000000001', '1.50e-3'])
        expect(answer.text).to.include(`"percent":${text}}`)
      // Exactly 99, the maximum with a fee of 1 %.
      expect((await createText('98.99999999999999999999', '0.00000000000000000001')).status).to.equal(201)
      expectError(
        await createText('98.99999999999999999999', '0.00000000000000000002'),
        '422 split_recipients_exceed_available_percent',
        'splitRecipients',
      )
    })

    it('reports an unavailable network before it checks the recipients', async () => {
      const unknown = [{ recipientId: 'rc_nothing', percent: 1 }]
      for (const network of ['polygon', 'base']) {
        await api.owner`update pairs set enabled = ${network !== 'base'} where network = 'base'`
        const answer = await createSplit(unknown, { acceptedPayments: [{ token: 'USDC', network }] })
        await api.owner`update pairs set enabled = true where network = 'base'`
        expectError(answer, '422 token_not_supported', 'acceptedPayments[0]')
      }
    })

    it('reports a missing TRON payout address before it checks the recipients', async () => {
      const recipientId = await register({ family: 'tron' })
      const answer = await createSplit([{ recipientId, percent: 1 }], {
        acceptedPayments: [{ token: 'USDT', network: 'tron' }],
      })
      expectError(answer, '422 payout_address_missing', 'acceptedPayments')
    })

    it('requires the scope charges:split_write', async () => {
      const recipientId = await register()
      const answer = await create({ ...CHARGE, splitRecipients: [{ recipientId, percent: 1 }] })
      expectError(answer, '403 insufficient_scope')
      expect(answer.headers.get('www-authenticate')).to.contain('scope="charges:split_write"')
    })

    it('rejects unknown, revoked, foreign and test recipients with the same error', async () => {
      await api.issueKey({ organization: 'org_two' })
      const ids = [
        'rc_nothing',
        await register({
          address: address('0x00000000000000000000000000000000000000d1'),
          revoked_at: new Date(),
        }),
        await register({
          address: address('0x00000000000000000000000000000000000000d2'),
          organization_id: 'org_two',
        }),
        await register({
          address: address('0x00000000000000000000000000000000000000d3'),
          environment: 'test',
        }),
      ]
      const texts = new Set<string>()
      for (const recipientId of ids) {
        const answer = await createSplit([{ recipientId, percent: 1 }])
        expectError(answer, '422 recipient_not_found_in_split', 'splitRecipients[0].recipientId')
        texts.add(answer.text)
      }
      expect(texts.size).to.equal(1)
    })

    it('rejects percentages whose exact sum exceeds 100 minus the fee', async () => {
      const recipientId = await register()
      const percents = [32.85, 20.02, 27.12, 19.01]
      const entries = percents.map((percent) => ({ recipientId, percent }))
      // Exactly 99, although doubles add up to more. The merchant keeps 1 % of the 99 % after the fee.
      expect((await createSplit(entries)).status).to.equal(201)
      const answer = await createSplit([...entries, { recipientId, percent: 0.000001 }])
      expectError(answer, '422 split_recipients_exceed_available_percent', 'splitRecipients')
    })

    it('rejects the treasury and the payout address', async () => {
      const treasury = await register({ address: TREASURY })
      const payout = await register({ address: MERCHANT })
      expectError(
        await createSplit([{ recipientId: treasury, percent: 1 }]),
        '422 split_recipient_is_treasury_address',
        'splitRecipients[0].recipientId',
      )
      expectError(
        await createSplit([{ recipientId: payout, percent: 1 }]),
        '422 split_recipient_is_payout_address',
        'splitRecipients[0].recipientId',
      )
    })

    it('returns the existing charge even if the recipient has been revoked since', async () => {
      const recipientId = await register()
      const entry = { recipientId, percent: 5 }
      const first = await createSplit([entry], { idempotencyKey: 'split' })
      await api.owner`update recipients set revoked_at = now() where id = ${recipientId}`
      const second = await createSplit([entry], { idempotencyKey: 'split' })
      expect(second.body.id, second.text).to.equal(first.body.id)
      const third = await createSplit([{ ...entry, percent: 6 }], { idempotencyKey: 'split' })
      expectError(third, '409 idempotency_key_reused', 'idempotencyKey')
    })
  })

  it('stores the other charges of a batch if one of them breaks a constraint', async () => {
    // A constraint only for this test rejects one row, because no request can break the unique address constraint.
    await api.owner`alter table charges add constraint one_is_bad check (source is distinct from 'bad')`
    const sources = ['a', 'b', 'bad', 'c', 'd', 'e', 'f', 'g']
    const answers = await Promise.all(sources.map((source) => create({ ...CHARGE, source })))
    await api.owner`alter table charges drop constraint one_is_bad`
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 500, 201, 201, 201, 201, 201])
    expectError(answers[2] as Answer, '500 internal_error')
    expect(answers[2]?.text).not.to.contain('constraint')
    expect(api.errors.join('')).to.contain('one_is_bad')
  })
})

describe('POST /v1/charges with a minimum', () => {
  let api: TestApi

  before(async () => {
    api = await startTestApi({ MINIMUM_CHARGE: '0.5' })
  })
  after(() => api.stop())

  const create = async (body: unknown, environment: 'live' | 'test' = 'live'): Promise<Answer> => {
    const { key } = await api.issueKey({ environment })
    return call(api, 'POST /v1/charges', { key, body: { ...CHARGE, ...(body as object) } })
  }

  it('rejects a live amount that is below the minimum before the fee is added, and names both values', async () => {
    const message = 'amount 0.499999 is below the minimum 0.5'
    for (const feePayer of ['merchant', 'payer']) {
      const answer = await create({ amount: 0.499999, feePayer })
      expectError(answer, '400 validation_error', 'amount')
      expect(answer.body.error.message).to.equal(message)
    }
    expect((await create({ amount: 0.5 })).status).to.equal(201)
  })

  it('uses the highest minimum of the accepted networks, each of which has its own or the default minimum', async () => {
    const own = await api.startAnother((config) => ({
      ...config,
      deployments: config.deployments.map((deployment) =>
        deployment.network === 'bnb' ? { ...deployment, minimumCharge: '20' } : deployment,
      ),
    }))
    const { key } = await api.issueKey()
    const pairs = (...networks: readonly string[]) => networks.map((network) => ({ token: 'USDT', network }))
    const ask = (amount: number, ...networks: readonly string[]) =>
      call(own, 'POST /v1/charges', {
        key,
        body: { ...CHARGE, amount, acceptedPayments: pairs(...networks) },
      })
    try {
      const refused = await ask(19.99, 'base', 'bnb')
      expectError(refused, '400 validation_error', 'amount')
      expect(refused.body.error.message).to.equal('amount 19.99 is below the minimum 20 on bnb')
      expect((await ask(20, 'base', 'bnb')).status).to.equal(201)
      expect(
        (await ask(0.5, 'base')).status,
        'the default minimum, because no other minimum applies',
      ).to.equal(201)
      expectError(await ask(0.49, 'base'), '400 validation_error', 'amount')
    } finally {
      await own.stop()
    }
  })

  it('requires at least the configured payout cost of a network, unless the network has its own minimum', async () => {
    const refusal = async (terms: { minimumCharge?: string }, changes: object = {}) => {
      const dear = await api.startAnother((config) => ({
        ...{ ...config, ...changes },
        deployments: config.deployments.map((deployment) =>
          deployment.network === 'bnb' ? { ...deployment, payoutCost: '22', ...terms } : deployment,
        ),
      }))
      const { key } = await api.issueKey()
      const acceptedPayments = [{ token: 'USDT', network: 'bnb' }]
      const answer = await call(dear, 'POST /v1/charges', {
        key,
        body: { ...CHARGE, amount: 21.99, feePayer: 'payer', acceptedPayments },
      })
      await dear.stop()
      if (answer.status === 201) return null
      expectError(answer, '400 validation_error', 'amount')
      return answer.body.error.message
    }
    expect(await refusal({})).to.equal('amount 21.99 is below the minimum 22 on bnb')
    expect(await refusal({}, { minimumChargeMicro: null })).to.include('the minimum 22 on bnb')
    expect(await refusal({}, { minimumChargeMicro: 50_000_000n })).to.equal(
      'amount 21.99 is below the minimum 50',
    )
    expect(await refusal({ minimumCharge: '1' })).to.equal(null)
  })

  it('enforces the minimum before it checks the releaser and the networks', async () => {
    const escrow = { releaserAddress: `0x${'0'.repeat(40)}` }
    expectError(await create({ amount: 0.1, escrow }), '400 validation_error', 'amount')
    const acceptedPayments = [{ token: 'USDC', network: 'arc' }]
    expectError(await create({ amount: 0.1, acceptedPayments }), '400 validation_error', 'amount')
  })

  it('does not apply the minimum to test charges', async () => {
    expect((await create({ amount: 0.000001 }, 'test')).status).to.equal(201)
  })

  it('returns an existing charge that was created before there was a minimum', async () => {
    const { key } = await api.issueKey()
    const body = { ...CHARGE, amount: 0.1, idempotencyKey: 'before the minimum' }
    const before = await api.startAnother((config) => ({ ...config, minimumChargeMicro: null }))
    const made = await call(before, 'POST /v1/charges', { key, body })
    await before.stop()
    expect(made.status).to.equal(201)
    const replayed = await call(api, 'POST /v1/charges', { key, body })
    expect(replayed.status).to.equal(201)
    expect(replayed.body).to.include({ id: (made.body as { id: string }).id })
  })
})

function dueOf({ paymentOptions }: { paymentOptions: readonly { dueExact: string | null }[] }) {
  return paymentOptions.map(({ dueExact }) => dueExact)
}
