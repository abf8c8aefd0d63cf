import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createRefundWorker } from '../../../indexer/refunds/refund-worker.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { createLoop, type Loop } from '../../../shared/runtime/poll-loop.ts'
import { type Answer, call, expectError } from '../../support/call-route.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { runClient } from '../../support/run-client.ts'
import { createSandboxFixture, type SandboxFixture } from '../../support/sandbox-fixture.ts'

const BASE = 'https://pay.example/pay'
type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const shownOf = (text: string) => text.replaceAll(/<[^>]*>/g, '')

describe('the page of a refund', function () {
  this.timeout(240_000)
  let sandbox: SandboxFixture
  let loop: Loop
  let key: string
  let visitors = 0

  before(async () => {
    sandbox = await createSandboxFixture('base:live,bnb:live', {
      ...{ CHECKOUT_BASE_URL: BASE, TRUST_PROXY: '1', CHECKOUT_FRAME_ORIGINS: 'https://shop.example' },
    })
    ;({ key } = await sandbox.api.issueKey({
      environment: 'test',
      scopes: ['charges:read', 'charges:write', 'refunds:write', 'sandbox:trigger'],
    }))
    const { log } = recordingLog()
    const worker = createRefundWorker({
      ...{ sql: sandbox.daemon, log, now: () => new Date(), onEvents: () => undefined, chains: [] },
      ...{ checkoutBaseUrl: BASE, swapProvider: null, apiRequestId: null },
      ...{ check: () => Promise.resolve(), minimumPayoutOf: () => 0n as never, onFree: () => undefined },
    })
    loop = createLoop({ name: 'refunds', intervalMs: 20, turn: worker.turn, log })
    loop.start()
  })
  after(async () => {
    await loop.stop()
    await sandbox.stop()
  })
  beforeEach(() => {
    visitors += 1
  })

  it('records the address that the payer has reviewed, and shows the progress of the refund', async () => {
    const { id, refund } = await declareClaim()
    expect(refund).to.deep.include({
      ...{ status: 'awaiting_destination', destination: null, claim: null, payment: null },
    })
    const link = linkOf(refund)
    const first = await open(link)
    expect(shownOf(first.text))
      .to.contain('Where should your refund go?')
      .and.to.contain('12.50 USDC on Base')
    const review = await post(link, { address: PAYER, step: 'review' })
    expect(review.status).to.equal(200)
    expect(review.text).to.contain('<span class="group">0x7099</span><span class="group">7970</span>')
    expect(shownOf(review.text)).to.contain(PAYER)
    expect((await read(refund.id)).claim).to.equal(null)

    const sent = await post(link, { address: PAYER, step: 'send' })
    expect(sent.status).to.equal(303)
    expect(shownOf((await open(link)).text))
      .to.contain('The merchant checks your address')
      .and.to.contain(PAYER)
    expect(await read(refund.id)).to.deep.include({ status: 'awaiting_approval', destination: null })
    expect((await read(refund.id)).claim).to.deep.include({ address: PAYER, signer: null })

    await ask(`POST /v1/refunds/${refund.id}/approve`, { address: PAYER })
    expect(shownOf((await open(link)).text)).to.contain('has approved your address')
    await sandbox.trigger(id, { event: 'charge.refunded' })
    expect(shownOf((await open(link)).text)).to.contain('Your refund has arrived')
    expect(await listRefundEvents(id)).to.deep.equal([
      ...['charge.refund_declared', 'charge.refund_claimed', 'charge.refund_approved', 'charge.refunded'],
    ])
    const { body: timeline } = await ask(`GET /v1/charges/${id}/timeline`)
    expect(timeline.map(({ type }: { type: string }) => type).slice(-5)).to.deep.equal([
      ...['refund.declared', 'refund.claimed', 'refund.approved', 'refund.seen', 'refund.confirmed'],
    ])
  })

  it('accepts one address, and neither records nor shows a second address', async () => {
    const { refund } = await declareClaim()
    const link = linkOf(refund)
    await post(link, { address: PAYER, step: 'send' })
    expect((await post(link, { address: OTHER, step: 'send' })).status).to.equal(303)
    expect((await read(refund.id)).claim).to.include({ address: PAYER })
    expect(shownOf((await open(link)).text))
      .to.contain(PAYER)
      .and.not.to.contain(OTHER)
  })

  it('opens only with the complete link, and otherwise reveals nothing', async () => {
    const { id, refund } = await declareClaim()
    const { id: another } = await declareClaim()
    const secret = linkOf(refund).split('/').at(-1) ?? ''
    const wrong = [
      'A'.repeat(22),
      id,
      refund.id,
      `${secret}A`,
      secret.toLowerCase(),
      '%00',
      '..%2f',
      `${secret}/`,
      `${secret}/a`,
    ]
    for (const path of [...wrong.map((text) => `${id}/refund/${text}`), `${another}/refund/${secret}`]) {
      for (const answer of [await open(path), await post(path, { address: OTHER, step: 'send' })]) {
        expect(answer.status, path).to.equal(404)
        expect(shownOf(answer.text)).to.contain('Payment not found').and.not.to.contain('12.50')
      }
    }
    expect((await read(refund.id)).claim).to.equal(null)
  })

  it('is no longer available once the merchant replaces the link or rejects the address', async () => {
    const { refund } = await declareClaim()
    const renewed = await ask(`POST /v1/refunds/${refund.id}/claim-link`)
    expect((await open(linkOf(refund))).status).to.equal(404)
    await post(linkOf(renewed.body), { address: OTHER, step: 'send' })
    expectError(await ask(`POST /v1/refunds/${refund.id}/claim-link`), '409 refund_not_claimable')
    const rejected = await ask(`POST /v1/refunds/${refund.id}/reject`)
    expect(rejected.body).to.deep.include({ status: 'awaiting_destination', claim: null })
    expect((await open(linkOf(renewed.body))).status).to.equal(404)
    expect(shownOf((await open(linkOf(rejected.body))).text)).to.contain('Where should your refund go?')
    expectError(await ask(`POST /v1/refunds/${refund.id}/reject`), '409 refund_not_awaiting_approval')
    const approved = await ask(`POST /v1/refunds/${refund.id}/approve`, { address: OTHER })
    expectError(approved, '409 refund_not_awaiting_approval')
  })

  it('allows an approval only of the payer’s address, and only by a key of the organization with refunds:write', async () => {
    const { refund } = await declareClaim()
    await post(linkOf(refund), { address: OTHER, step: 'send' })
    const path = `POST /v1/refunds/${refund.id}/approve`
    expectError(await ask(path, { address: PAYER }), '409 refund_address_mismatch', 'address')
    expectError(await ask(path, { address: 'me' }), '400 validation_error', 'address')
    const { key: reader } = await sandbox.api.issueKey({ environment: 'test', scopes: ['charges:write'] })
    const { key: stranger } = await sandbox.api.issueKey({
      ...{ organization: 'org_two', environment: 'test', scopes: ['refunds:write'] },
    })
    for (const action of ['approve', 'reject', 'claim-link']) {
      const body = action === 'approve' ? { address: OTHER } : undefined
      const asked = (withKey: string) =>
        call(sandbox.api, `POST /v1/refunds/${refund.id}/${action}`, { key: withKey, body })
      expectError(await asked(reader), '403 insufficient_scope')
      expectError(await asked(stranger), '404 refund_not_found')
    }
    expect(await read(refund.id)).to.deep.include({ status: 'awaiting_approval', destination: null })
  })

  it('accepts one decision of the merchant at a time', async () => {
    const { id, refund } = await declareClaim()
    const { owner } = sandbox.api
    await owner`
      insert into requests (id, kind, organization_id, charge_id, payload, consumed_at)
      values (${newId('req', Date.now())}, 'refund', 'org_one', ${id}, '{}', now())`
    const answers = ['approve', 'reject', 'claim-link'].map((action) =>
      ask(`POST /v1/refunds/${refund.id}/${action}`, action === 'approve' ? { address: OTHER } : undefined),
    )
    for (const answer of await Promise.all(answers)) expectError(answer, '409 request_in_progress')
    await owner`delete from requests where charge_id = ${id} and responded_at is null`
  })

  it('rejects invalid addresses, addresses that the merchant may not name, and wrong signatures', async () => {
    const { id, refund } = await declareClaim()
    const link = linkOf(refund)
    const { body: charge } = await ask(`GET /v1/charges/${id}`)
    const typed = '"><script>alert(1)</script>'
    for (const address of ['', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', `${PAYER.slice(0, -1)}c`, typed]) {
      const { status, text } = await post(link, { address, step: 'send' })
      expect(status).to.equal(200)
      expect(shownOf(text)).to.contain('That is not an address on Base')
      expect(text).to.contain('aria-invalid').and.not.to.contain('<script>alert')
    }
    for (const address of [charge.address, '0x0000000000000000000000000000000000000001'])
      expect(shownOf((await post(link, { address, step: 'send' })).text)).to.contain(
        'cannot go to this address',
      )
    const signed = { address: PAYER, step: 'send', signer: PAYER, signature: `0x${'12'.repeat(65)}` }
    for (const change of [
      {},
      { signature: '0xno' },
      { signer: 'me' },
      { signature: `0x${'64926492'.repeat(8)}` },
    ])
      expect(shownOf((await post(link, { ...signed, ...change })).text)).to.contain(
        'not a signature of the wallet',
      )
    expect((await read(refund.id)).claim).to.equal(null)
  })

  it('forbids framing, caching and indexing, and sends no referrer', async () => {
    const { id, refund } = await declareClaim()
    const answers = [
      await open(linkOf(refund)),
      await post(linkOf(refund), { address: PAYER, step: 'review' }),
      await post(linkOf(refund), { address: PAYER, step: 'send' }),
      await open(`${id}/refund/${'A'.repeat(22)}`),
    ]
    for (const { headers } of answers) {
      expect(headers.get('x-frame-options')).to.equal('DENY')
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).to.contain("frame-ancestors 'none'").and.to.contain("form-action 'self'")
      expect(policy).not.to.contain('shop.example')
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
      expect(headers.get('x-robots-tag')).to.equal('noindex')
    }
    expect((await open(id)).headers.get('content-security-policy')).to.contain('https://shop.example')
  })

  it('rejects large bodies, other content types and methods, and more than 20 forms a minute per IP address', async () => {
    const { refund } = await declareClaim()
    const link = linkOf(refund)
    expect((await post(link, { address: 'a'.repeat(7000), step: 'review' })).status).to.equal(413)
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
    expect((await open(link, json)).status).to.equal(415)
    expect((await open(link, { method: 'PUT' })).status).to.equal(405)
    for (let count = 3; count <= 20; count += 1) await post(link, { address: PAYER, step: 'review' })
    expect((await post(link, { address: PAYER, step: 'review' })).status).to.equal(429)
    expect((await open(link)).status).to.equal(200)
  })

  it('accepts five submissions of an address a minute for a charge, from all IP addresses together', async () => {
    const { id, refund } = await declareClaim()
    const { body: charge } = await ask(`GET /v1/charges/${id}`)
    const send = () => {
      visitors += 1
      return post(linkOf(refund), { address: charge.address, step: 'send' })
    }
    for (let count = 1; count <= 5; count += 1) expect((await send()).status).to.equal(200)
    expect((await send()).status).to.equal(429)
  })

  it('has a secret that is in one response only, and in no event, row or log', async () => {
    const { id, refund, body } = await declareClaim()
    const secret = linkOf(refund).split('/').at(-1) ?? ''
    expect(refund.claimUrl).to.match(/^https:\/\/pay\.example\/pay\/ch_[0-9a-z]+\/refund\/[A-Za-z0-9_-]{22}$/)
    await open(linkOf(refund))
    await post(linkOf(refund), { address: PAYER, step: 'send' })
    const replay = await ask(`POST /v1/charges/${id}/refunds`, body)
    expect(replay.headers.get('idempotent-replayed')).to.equal('true')
    expect(replay.body).to.include({ id: refund.id, claimUrl: null })
    const answers = [
      ...[await ask(`GET /v1/refunds/${refund.id}`), await ask(`GET /v1/charges/${id}/refunds`)],
      ...[await ask(`GET /v1/charges/${id}`), await ask(`GET /v1/charges/${id}/timeline`)],
      await ask(`POST /v1/refunds/${refund.id}/approve`, { address: OTHER }),
    ]
    const { owner, errors, warnings, metrics } = sandbox.api
    const [row] = await owner<{ claimHash: string }[]>`select claim_hash from refunds where id = ${refund.id}`
    expect(row?.claimHash).to.equal(createHash('sha256').update(secret).digest('hex'))
    const rows = []
    for (const table of ['refunds', 'refund_claims', 'requests', 'events', 'deliveries', 'rate_limits'])
      rows.push(await owner`select to_jsonb(t)::text as row from ${owner(table)} t`)
    const texts = [
      ...answers.map(({ text }) => text),
      ...[JSON.stringify(rows), await metrics.metrics(), ...errors, ...warnings],
    ]
    for (const text of texts) expect(text).not.to.contain(secret)
    expect(texts.join()).to.contain(refund.id).and.to.contain('/pay/:id/refund/:claim')
  })

  it('is not needed in the sandbox, where a trigger gives an address', async () => {
    const { id, refund } = await declareClaim()
    await sandbox.trigger(id, { event: 'charge.refund_claimed' })
    expect(await read(refund.id)).to.include({ status: 'awaiting_approval' })
    expectError(await sandbox.trigger(id, { event: 'charge.refund_claimed' }), '422 invalid_trigger_state')
  })

  it('can be requested with the client’s commands, which also approve or reject the payer’s address', async () => {
    const id = await payCharge()
    const env = { SVC_API_URL: sandbox.api.baseUrl, SVC_API_KEY: key }
    const svc = (...args: readonly string[]) =>
      runClient('svc', ['charges', 'refund', id, ...args, '--json'], env)
    const declared = JSON.parse((await svc('--amount', '5', '--ask-payer')).stdout)
    await post(linkOf(declared), { address: OTHER, step: 'send' })
    const another = ['charges', 'refund', await payCharge(), '--reject', declared.id]
    expect((await runClient('svc', another, env)).stderr).to.contain(
      'do not send any money: the service returned the charge ',
    )
    expect((await svc('--reject', declared.id, '--to', OTHER)).stderr).to.contain('--to cannot be combined')
    expect((await read(declared.id)).status).to.equal('awaiting_approval')
    const rejected = JSON.parse((await svc('--reject', declared.id)).stdout)
    await post(linkOf(rejected), { address: PAYER, step: 'send' })
    const wrong = await svc('--amount', '5', '--to', OTHER, '--approve', declared.id)
    expect(wrong.exitCode).to.equal(1)
    const approved = JSON.parse((await svc('--amount', '5', '--to', PAYER, '--approve', declared.id)).stdout)
    expect(approved).to.include({ status: 'awaiting_payment', destination: PAYER })
  })

  /** Creates a charge of 10 dollars that was paid with 15 and settled. */
  async function payCharge(): Promise<string> {
    const { body } = await sandbox.create()
    for (const event of ['charge.overpaid', 'charge.settled']) await sandbox.trigger(body.id, { event })
    return body.id
  }

  /** Declares a refund to an address that the payer will name. */
  async function declareClaim() {
    const id = await payCharge()
    const body = { amount: '12.5', destination: { claim: true }, idempotencyKey: `claim-of-${id}` }
    const answer = await ask(`POST /v1/charges/${id}/refunds`, body)
    expect(answer.status, answer.text).to.equal(201)
    return { id, body, refund: answer.body }
  }

  const ask = (request: string, body?: unknown): Promise<Answer> =>
    call(sandbox.api, request, { key, ...(body !== undefined && { body }) })
  const read = async (id: string) => (await ask(`GET /v1/refunds/${id}`)).body

  /** Returns the path of a link below the checkout's base URL. */
  const linkOf = ({ claimUrl }: { readonly claimUrl: string }): string => claimUrl.slice(BASE.length + 1)

  /** Requests a page from the IP address of this test. */
  async function open(path: string, init: Init = {}) {
    const headers = { ...init.headers, 'x-forwarded-for': `192.0.2.${visitors}` }
    const url = `${sandbox.api.baseUrl}/pay/${path}`
    const response = await fetch(url, { redirect: 'manual', ...init, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    open(path, { method: 'POST', body: new URLSearchParams(fields) })

  async function listRefundEvents(id: string): Promise<readonly string[]> {
    return (await sandbox.eventsOf(id)).filter((type) => type.startsWith('charge.refund'))
  }
})
