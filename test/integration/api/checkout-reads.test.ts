import { expect } from 'chai'
import { pausePair, resumePair } from '../../../shared/db/organizations/daemon/pairs.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { type CheckFixture, CONFIRMATIONS, createCheckFixture } from '../../support/check-fixture.ts'
import { insertSeenTransfer } from '../../support/daemon-rows.ts'
import { randomHex } from '../../support/factories.ts'
import { type EventReader, readEvents } from '../../support/read-events.ts'
import { readQrCode } from '../../support/read-qr-code.ts'
import { createSwapFixture, type SwapFixture, TAKER } from '../../support/swap-fixture.ts'

const SETTINGS = { CHECKOUT_BASE_URL: 'https://pay.example/pay', TRUST_PROXY: '1' }
const USDC_BASE = { token: 'USDC', network: 'base' }
const CHARGE = {
  amount: 10,
  acceptedPayments: [USDC_BASE, { token: 'USDT', network: 'bnb' }],
  expiresIn: 600,
}
const RESOURCES = ['GET /state.json', 'GET /events', 'GET /qr.svg', 'POST /check', 'POST /quote'] as const

/** Sends a request to a path below `/pay/` without a key, as a browser does. */
async function ask(api: Pick<TestApi, 'baseUrl'>, request: string, init: RequestInit = {}) {
  const [method = 'GET', path = ''] = request.split(' ')
  const response = await fetch(`${api.baseUrl}/pay/${path}`, { method, redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
}

const json = (body: object): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const form = (fields: Record<string, string>): RequestInit => ({ body: new URLSearchParams(fields) })

describe('reads of a charge by its id, without a key', () => {
  let api: TestApi
  let key: string
  const opened: EventReader[] = []

  before(async () => {
    api = await startTestApi({
      ...SETTINGS,
      CHECKOUT_STREAMS_PER_CHARGE: '2',
      CHECKOUT_STREAMS_PER_ADDRESS: '5',
    })
    ;({ key } = await api.issueKey())
  })
  afterEach(() => opened.splice(0).forEach((reader) => reader.close()))
  after(() => api.stop())

  const create = async () => (await call(api, 'POST /v1/charges', { key, body: CHARGE })).body
  /** Marks a charge as expired, with a deadline `hours` hours ago. */
  const expire = (id: string, hours: number) => api.owner`
    update charges set status = 'expired', created_at = now() - interval '30 hours',
      expires_at = now() - interval '1 hour' * ${hours} where id = ${id}`
  const follow = async (id: string, headers: Record<string, string> = {}) => {
    const reader = await readEvents(`${api.baseUrl}/pay/${id}/events`, { key: '', headers })
    opened.push(reader)
    return reader
  }

  /**
   * Waits until a condition holds, and returns how long this took. Counts polls that include a query, because neither
   * this process nor the database does anything while a busy machine pauses it.
   */
  const measureUntil = async (what: string, holds: () => boolean): Promise<number> => {
    const intervalMs = 20
    let polls = 0
    const poll = async () => {
      await api.owner`select 1`
      polls += 1
      return holds()
    }
    await waitFor(poll, { what, timeoutMs: 60_000, intervalMs })
    return polls * intervalMs
  }

  it('return the content of its page as JSON', async () => {
    const { id, address } = await create()
    const { status, body, headers } = await ask(api, `GET ${id}/state.json`)
    expect(status).to.equal(200)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(body).to.deep.include({ id, screen: 'pay', remaining: '10' })
    expect(body.howToPay.address).to.equal(address)
  })

  it('contain the calldata of a transfer for each pair, so that the browser needs no list of tokens', async () => {
    const { id, address } = await create()
    const { body } = await ask(api, `GET ${id}/state.json`)
    const [base, bnb] = body.howToPay.payments
    const to = address.slice(2).toLowerCase().padStart(64, '0')
    const amountOf = (atomic: bigint) => atomic.toString(16).padStart(64, '0')
    expect(base.transfer).to.deep.equal({
      to: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      data: `0xa9059cbb${to}${amountOf(10_000_000n)}`,
    })
    expect(bnb.transfer.data).to.equal(`0xa9059cbb${to}${amountOf(10n ** 19n)}`)
    expect(bnb.chain).to.deep.include({ name: 'BNB Smart Chain', explorer: 'https://bscscan.com' })
  })

  it('are also sent as events when a payment is detected and when its confirmations increase', async () => {
    const { id } = await create()
    const reader = await follow(id)
    await reader.until('the current state of the charge', ({ events }) => events.length === 1)
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 10 })
    await reader.until('a detected payment', ({ events }) => screenOf(events) === 'seen')
    await api.owner`update deployments set head_number = head_number + 1 where network = 'base'`
    await reader.until('another block', ({ events }) => stateOf(events).progress[0].blocksSeen === 4)
    await api.owner`update deployments set head_number = head_number - 1 where network = 'base'`
    expect(reader.events.map(({ event }) => event)).to.satisfy((names: string[]) =>
      names.every((name) => name === 'checkout'),
    )
    expect(stateOf(reader.events)).to.have.all.keys((await ask(api, `GET ${id}/state.json`)).body)
  })

  it('request the remaining amount after a partial payment, and the whole amount once that payment is orphaned', async () => {
    const { id } = await create()
    const reader = await follow(id)
    const asked = ({ events }: EventReader) => stateOf(events).howToPay?.payments[0].amountAtomic
    await reader.until('the whole amount', (now) => asked(now) === '10000000')
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 4 })
    await reader.until('the rest', (now) => asked(now) === '6000000')
    expect(stateOf(reader.events)).to.deep.include({ screen: 'pay', seen: '4', remainingAfterSeen: '6' })
    await api.owner`update transfers set inclusion = 'missing' where charge_id = ${id}`
    expect(
      (await ask(api, `GET ${id}/state.json`)).body.seen,
      'a missing payment that no quorum has denied',
    ).to.equal('4')
    await api.owner`update transfers set inclusion = 'orphaned' where charge_id = ${id}`
    await reader.until('the whole amount again', (now) => asked(now) === '10000000')
  })

  it('request no payment while a payment by signature is in flight, and the whole amount within 3 s of its end', async () => {
    const { id } = await create()
    const reader = await follow(id)
    const untilScreen = (screen: string) => measureUntil(screen, () => screenOf(reader.events) === screen)
    await untilScreen('pay')
    await api.owner`
      insert into requests (id, kind, organization_id, charge_id, payload)
      values (${newId('req', Date.now())}, 'authorization', 'org_one', ${id}, '{}')`
    await untilScreen('signed')
    expect(stateOf(reader.events)).to.deep.include({
      howToPay: null,
      swapAlternatives: [],
      payBySignature: [],
    })
    const { paymentOptions } = (await call(api, `GET /v1/charges/${id}`, { key })).body
    expect(paymentOptions.map(({ dueAtomic }: { dueAtomic: string | null }) => dueAtomic)).to.deep.equal([
      null,
      null,
    ])
    expectError(
      await call(api, `GET /v1/charges/${id}/qrcode?network=base`, { key }),
      '409 charge_not_payable',
    )
    await api.owner`delete from requests where charge_id = ${id}`
    expect(await untilScreen('pay')).to.be.below(3000)
  })

  it('immediately show a payment on a pair that is not accepted, but no transfer from the charge’s own contracts', async () => {
    const { id } = await create()
    const reader = await follow(id)
    await reader.until('the current state of the charge', ({ events }) => screenOf(events) === 'pay')
    const transfer = { chargeId: id, blockNumber: 98, dollars: 10 }
    await insertSeenTransfer(api.owner, { ...transfer, txHash: randomHex(32), rejectionReason: 'own_money' })
    await insertSeenTransfer(api.owner, { ...transfer, txHash: '0xa1', rejectionReason: 'pair_not_accepted' })
    await reader.until('a wrong payment', ({ events }) => stateOf(events).wrongPayment?.txHash === '0xa1')
    const { refusedTransfers, seen, howToPay } = stateOf(reader.events)
    expect([refusedTransfers.length, seen, howToPay.payments[0].amount]).to.deep.equal([1, null, '10'])
  })

  it('send an event within two seconds when a pair is paused or resumed, or its network becomes stale', async () => {
    const { id } = await create()
    const reader = await follow(id)
    const networksOf = ({ events }: EventReader) =>
      stateOf(events)
        .howToPay?.payments.map(({ network }: { network: string }) => network)
        .join() ?? 'none'
    const untilOpen = async (networks: string) => {
      const tookMs = await measureUntil(`open: ${networks}`, () => networksOf(reader) === networks)
      expect(tookMs, networks).to.be.below(2000)
    }
    await reader.until('the current state of the charge', (now) => networksOf(now) === 'base,bnb')
    const pair = { token: 'USDT', network: 'bnb', environment: 'live' } as const
    await pausePair(api.owner, pair)
    await untilOpen('base')
    await resumePair(api.owner, pair)
    await untilOpen('base,bnb')
    await api.owner`update deployments set max_head_at = now() - interval '1 day' where chain_id = 8453`
    await untilOpen('bnb')
    await pausePair(api.owner, pair)
    await untilOpen('none')
    expect(stateOf(reader.events)).to.include({ screen: 'unavailable', paymentUnavailable: true })
    await resumePair(api.owner, pair)
    await api.owner`update deployments set max_head_at = now() + interval '1 hour'`
    await untilOpen('base,bnb')
  })

  it('end the stream after the final state, and return 204 on a reconnect', async () => {
    const { id } = await create()
    await expire(id, 25)
    const reader = await follow(id)
    await reader.until('the end', (stream) => stream.isEnded())
    expect(screenOf(reader.events)).to.equal('expired')
    expect((await follow(id, { 'last-event-id': reader.lastEventId() })).status).to.equal(204)
  })

  it('send events of late payments until a day after the deadline', async () => {
    const { id } = await create()
    await expire(id, 23)
    const reader = await follow(id)
    await reader.until('the expired charge', ({ events }) => screenOf(events) === 'expired')
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 10 })
    await reader.until('the late payment', ({ events }) => stateOf(events).progress.length === 1)
  })

  it('limit streams per charge and per address independently', async () => {
    const ids = [(await create()).id, (await create()).id, (await create()).id]
    const statusOf = async (id: string, ip: string) => (await follow(id, { 'x-forwarded-for': ip })).status
    for (const _ of [1, 2, 3, 4]) expect(await statusOf(ids[0], '203.0.113.1')).to.equal(200)
    expect(
      await statusOf(ids[0], '203.0.113.1'),
      'a fifth stream of this charge from the first address',
    ).to.equal(503)
    for (const _ of [1, 2])
      expect(await statusOf(ids[0], '203.0.113.2'), 'two streams from a second address').to.equal(200)
    expect(await statusOf(ids[0], '203.0.113.2'), 'a third stream from the second address').to.equal(503)
    expect(await statusOf(ids[1], '203.0.113.1')).to.equal(200)
    expect(await statusOf(ids[2], '203.0.113.1'), 'a sixth stream from the first address').to.equal(503)
    const refused = await ask(api, `GET ${ids[2]}/events`, { headers: { 'x-forwarded-for': '203.0.113.1' } })
    expect(refused.body.error.code).to.equal('sse_capacity')
  })

  it('draw the QR code of the address or of a payment link', async () => {
    const { id, address } = await create()
    const plain = await ask(api, `GET ${id}/qr.svg`)
    expect(plain.headers.get('content-type')).to.contain('image/svg+xml')
    expect(readQrCode(plain.text)).to.equal(address)
    const link = await ask(api, `GET ${id}/qr.svg?form=link&network=bnb`)
    expect(readQrCode(link.text)).to.match(/^ethereum:0x55d3.*@56\/transfer\?address=0x.*&uint256=10{19}$/)
    const codeOf = async (query: string) => (await ask(api, `GET ${id}/qr.svg?${query}`)).body.error.code
    expect(await codeOf('form=link')).to.equal('payment_pair_required')
    expect(await codeOf('form=link&network=tron')).to.equal('payment_pair_not_accepted')
    expect(await codeOf('form=other')).to.equal('validation_error')
  })

  it('do not draw a QR code for a paused pair that the charge accepts', async () => {
    const { id } = await create()
    const pair = { token: 'USDT', network: 'bnb', environment: 'live' } as const
    await pausePair(api.owner, pair)
    const answers = [
      await ask(api, `GET ${id}/qr.svg?form=link&token=USDT&network=bnb`),
      await ask(api, `GET ${id}/qr.svg?form=link&network=tron`),
      await ask(api, `GET ${id}/qr.svg?form=link`),
    ]
    await resumePair(api.owner, pair)
    expect(answers.map(({ status, body }) => `${status} ${body?.error.code ?? ''}`)).to.deep.equal([
      '503 payment_temporarily_unavailable',
      '422 payment_pair_not_accepted',
      '200 ',
    ])
  })

  it('do not draw a QR code if no payment is due', async () => {
    const { id } = await create()
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 10 })
    const { status, body } = await ask(api, `GET ${id}/qr.svg`)
    expect([status, body.error.code]).to.deep.equal([409, 'charge_not_payable'])
  })

  it('return the same response for any unknown id, well-formed or not', async () => {
    for (const resource of RESOURCES) {
      const [method, path] = resource.split(' ')
      const [unknown, ...malformed] = await Promise.all(
        [newId('ch', Date.now()), 'x', '%00', 'ch_'.repeat(300)].map((id) =>
          ask(api, `${method} ${id}${path}`),
        ),
      )
      expect(unknown?.status, resource).to.equal(404)
      for (const one of malformed) expect([one.status, one.text]).to.deep.equal([404, unknown?.text])
    }
  })

  it('reject other methods', async () => {
    const { id } = await create()
    for (const resource of RESOURCES) {
      const [method, path] = resource.split(' ')
      const { status } = await ask(api, `${method === 'GET' ? 'POST' : 'GET'} ${id}${path}`)
      expect(status, resource).to.equal(405)
    }
  })

  it('are logged without the id on an internal error', async () => {
    const { id } = await create()
    const before = api.errors.length
    await api.owner`alter table charges rename to charges_gone`
    const answers = await Promise.all(RESOURCES.map((one) => ask(api, one.replace(' /', ` ${id}/`))))
    await api.owner`alter table charges_gone rename to charges`
    expect(answers.map(({ status }) => status)).to.deep.equal(RESOURCES.map(() => 500))
    expect(answers.map(({ text }) => text).join()).not.to.contain(id)
    const lines = api.errors.slice(before).filter((line) => line.includes('Failed a request'))
    expect(lines).to.have.length(RESOURCES.length)
    expect(lines.join()).to.contain('"path":"/pay/:id/check"').and.not.to.contain(`/pay/${id}`)
  })
})

describe('a payer’s check on the page', function () {
  this.timeout(240_000)
  let stage: CheckFixture
  let key: string
  /** An API with the checkout page, on the stage's database and chain. */
  let api: Pick<TestApi, 'baseUrl' | 'stop'>

  before(async () => {
    stage = await createCheckFixture()
    ;({ key } = await stage.api.issueKey())
    const { checkoutBaseUrl } = { checkoutBaseUrl: SETTINGS.CHECKOUT_BASE_URL }
    api = await stage.api.startAnother((config) => ({ ...config, checkoutBaseUrl, trustedProxies: 1 }))
  })
  after(async () => {
    await api?.stop()
    await stage?.close()
  })

  const create = async () => {
    const body = { ...CHARGE, acceptedPayments: [USDC_BASE] }
    return (await call(stage.api, 'POST /v1/charges', { key, body })).body
  }
  const letTenSecondsPass = () =>
    stage.api
      .owner`update rate_limits set window_start = window_start - interval '10 seconds' where bucket like '%check:%'`

  it('credits the payment, and reveals no sender', async () => {
    const { id, address } = await create()
    const txHash = await stage.pay(address)
    await stage.mine(CONFIRMATIONS - 1)
    const { status, body, text } = await ask(api, `POST ${id}/check`, json({ txHash, network: 'base' }))
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({ id, screen: 'paid', txHash })
    expect(body).to.have.all.keys((await ask(api, `GET ${id}/state.json`)).body)
    expect(text).not.to.contain('ender')
  })

  const countChecks = async (id: string): Promise<number> =>
    (await stage.api.owner`select from requests where kind = 'check' and charge_id = ${id}`).length

  it('does not count as a check of the merchant’s keys', async () => {
    const { id } = await create()
    expect((await ask(api, `POST ${id}/check`)).status).to.equal(200)
    expect((await call(stage.api, `POST /v1/charges/${id}/check`, { key })).status).to.equal(200)
    expect((await call(stage.api, `POST /v1/charges/${id}/check`, { key })).status).to.equal(429)
    expect((await ask(api, `POST ${id}/check`)).status).to.equal(200)
  })

  it('returns the current page without reading a chain if it is repeated too early', async () => {
    const { id } = await create()
    const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })
    const check = async (ip: string) => {
      const { status, body } = await ask(api, `POST ${id}/check`, from(ip))
      expect(status).to.equal(200)
      expect(body).to.deep.include({ id, screen: 'pay' })
      return countChecks(id)
    }
    expect(await check('203.0.113.1'), 'the first check of this address').to.equal(1)
    expect(await check('203.0.113.1'), 'the check per ten seconds that all visitors share').to.equal(2)
    expect(await check('203.0.113.1')).to.equal(2)
    expect(await check('203.0.113.2'), 'the first check of another address').to.equal(3)
    expect(await check('203.0.113.2')).to.equal(3)
    await letTenSecondsPass()
    expect(await check('203.0.113.2')).to.equal(4)
  })

  it('delays a simultaneous check with a key, but does not reject it', async () => {
    const { id } = await create()
    await stage.api.owner`
      insert into requests (id, kind, organization_id, charge_id, payload, consumed_at)
      values (${newId('req', Date.now())}, 'check', 'org_one', ${id}, '{}', now())`
    const checked = call(stage.api, `POST /v1/charges/${id}/check`, { key })
    const isCounted = async () =>
      (await stage.api.owner`select from rate_limits where bucket = ${`check:${id}`}`).length === 1
    await waitFor(isCounted, { what: 'the check to pass the rate limit', timeoutMs: 10_000 })
    await stage.api.owner`update requests set responded_at = now(), response = '{}' where charge_id = ${id}`
    expect((await checked).status).to.equal(200)
  })

  it('redirects a form submission without a script to the page with the result', async () => {
    const { id, address } = await create()
    const txHash = await stage.pay(address)
    await stage.mine(CONFIRMATIONS - 1)
    const send = async (fields: Record<string, string>) => {
      const answer = await ask(api, `POST ${id}/check?token=USDC&network=base`, form(fields))
      expect(answer.status, answer.text).to.equal(303)
      return answer.headers.get('location')
    }
    expect(await send({ txHash: 'my payment', network: 'base' })).to.equal(
      `../${id}?token=USDC&network=base&check=invalid`,
    )
    const back = await send({ txHash: ` ${txHash} `, network: 'base' })
    expect(back).to.equal(`../${id}?token=USDC&network=base&check=done`)
    const page = new URL(back ?? '', `${api.baseUrl}/pay/${id}/check`)
    expect(page.pathname).to.equal(`/pay/${id}`)
    expect(await (await fetch(page)).text())
      .to.contain('Checked just now')
      .and.contain('<h1>Paid. Thank you!</h1>')
    expect(await send({ txHash: '', network: 'base' })).to.equal(`../${id}?token=USDC&network=base`)
    expect(await send({ txHash: '', network: 'base' })).to.contain('check=soon')
  })

  it('demands the hash in a form submission for an expired charge, which is not checked without one', async () => {
    const { id } = await create()
    await stage.api.owner`update charges set status = 'expired' where id = ${id}`
    const { headers } = await ask(api, `POST ${id}/check?check=done`, form({ txHash: '', network: 'base' }))
    expect(headers.get('location')).to.equal(`../${id}?check=invalid`)
  })

  it('rejects an invalid request', async () => {
    const { id } = await create()
    const codeOf = async (init: RequestInit) => (await ask(api, `POST ${id}/check`, init)).body.error.code
    expect(await codeOf(json({ txHash: randomHex(32) }))).to.equal('validation_error')
    expect(await codeOf(json({ other: 1 }))).to.equal('validation_error')
    expect(await codeOf(json({ text: 'x'.repeat(2000) }))).to.equal('payload_too_large')
    expect(await codeOf({ body: 'text' })).to.equal('unsupported_media_type')
  })
})

describe('a payer’s quote on the page', () => {
  let stage: SwapFixture
  before(async () => {
    stage = await createSwapFixture(SETTINGS)
  })
  after(() => stage?.close())

  const BODY = { inputToken: 'ETH', inputNetwork: 'base', takerAddress: TAKER }

  it('is returned together with the page’s data', async () => {
    const { id, address } = await stage.createCharge()
    const { status, body, text } = await ask(stage.api, `POST ${id}/quote`, json(BODY))
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({ id, screen: 'pay' })
    expect(body.quote).to.deep.include({ inputToken: 'ETH', outputToken: 'USDC', permit2: null })
    expect(body.quote.transaction.data).to.contain(address.slice(2).toLowerCase())
  })

  it('is limited to ten a minute per charge, separately from quotes with a key', async () => {
    const { id } = await stage.createCharge()
    const askAt = (ip: number) => {
      const { headers, ...rest } = json(BODY)
      return ask(stage.api, `POST ${id}/quote`, {
        ...rest,
        headers: { ...(headers as Record<string, string>), 'x-forwarded-for': `203.0.113.${ip}` },
      })
    }
    for (let count = 0; count < 10; count += 1) expect((await askAt(count)).status).to.equal(200)
    expect((await askAt(11)).body.error.code).to.equal('rate_limited')
    for (let count = 0; count < 10; count += 1) expect((await stage.quote({ id })).status).to.equal(200)
    expect((await stage.quote({ id })).status).to.equal(429)
  })

  it('rejects an invalid request', async () => {
    const { id } = await stage.createCharge()
    const wrong = { ...BODY, takerAddress: '0x1' }
    const { body } = await ask(stage.api, `POST ${id}/quote`, json(wrong))
    expect(body.error).to.include({ code: 'validation_error', param: 'takerAddress' })
  })
})

type Events = EventReader['events']

function stateOf(events: Events) {
  return JSON.parse(events.at(-1)?.data ?? '{}')
}

function screenOf(events: Events): unknown {
  return stateOf(events).screen
}
