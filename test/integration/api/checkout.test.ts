import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createReadCheckout } from '../../../api/checkout/read-checkout.ts'
import { RELOAD } from '../../../api/checkout/reload.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { changeBrand } from '../../../shared/db/organizations/daemon/brands.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { insertSeenTransfer } from '../../support/daemon-rows.ts'
import { randomHex } from '../../support/factories.ts'
import { listVersions } from '../../support/merchant-script.ts'
import { createPng } from '../../support/pictures.ts'
import { readQrCode } from '../../support/read-qr-code.ts'

const CHARGE = {
  amount: 10,
  acceptedPayments: [
    { token: 'USDC', network: 'base' },
    { token: 'USDT', network: 'bnb' },
  ],
  expiresIn: 600,
  redirectUrl: 'https://shop.example/thanks',
  metadata: { customer: 'private', service: { products: [{ name: 'Green <tea>', quantity: 2 }] } },
}

describe('the hosted checkout', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi({ CHECKOUT_BASE_URL: 'https://pay.example/pay/', TRUST_PROXY: '1' })
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  const create = async (changes: object = {}, withKey = key) =>
    (await call(api, 'POST /v1/charges', { key: withKey, body: { ...CHARGE, ...changes } })).body
  const open = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${api.baseUrl}/pay/${path}`, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  const deps = () => ({ config: api.config, swap: null })

  it('opens at the path of checkoutUrl without a key', async () => {
    const { id, checkoutUrl } = await create()
    expect(checkoutUrl).to.equal(`https://pay.example/pay/${id}`)
    const { status, headers, text } = await open(id)
    expect(status, text).to.equal(200)
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(text).to.contain('<b>10.00</b> USD</h1>').and.to.contain('2 × <bdi>Green &lt;tea&gt;</bdi>')
    expect(text).not.to.contain('private')
  })

  it('compresses the data that the page reads, but not a prepared authorization', async () => {
    const { id } = await create()
    const encodingOf = async (path: string, accept: string) => {
      const { headers } = await open(path, { headers: { 'accept-encoding': accept } })
      return [headers.get('content-encoding'), headers.get('vary')]
    }
    for (const path of [id, `${id}/state.json`, `${id}/qr.svg`]) {
      expect(await encodingOf(path, 'gzip, br')).to.deep.equal(['br', 'Accept-Encoding'])
      expect(await encodingOf(path, 'gzip')).to.deep.equal(['gzip', 'Accept-Encoding'])
      expect(await encodingOf(path, 'identity')).to.deep.equal([null, 'Accept-Encoding'])
    }
    const payer = `0x${'70'.repeat(20)}`
    expect(await encodingOf(`${id}/authorization?payer=${payer}`, 'gzip, br')).to.deep.equal([null, null])
  })

  it('contains all data needed to pay', async () => {
    const { id, address } = await create()
    const { text } = await open(`${id}?token=USDT&network=bnb&way=scan`)
    expect(text).to.contain('<b class="large" data-copy>10.00</b> USDT')
    expect(text.replaceAll(/<[^>]*>/g, '')).to.contain(address)
    expect(readQrCode(text)).to.equal(address)
    const link = await open(`${id}?token=USDT&network=bnb&form=link`)
    expect(readQrCode(link.text)).to.equal(
      `ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=${address}&uint256=10000000000000000000`,
    )
  })

  it('shows the confirmations of a payment after a reload, and no longer requests the detected amount', async () => {
    const { id } = await create()
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 10 })
    const seen = await open(`${id}?token=USDC&network=base`)
    expect(seen.text).to.contain('3 of 12 confirmations').and.not.to.contain('To address')

    await api.owner`update transfers set credited_at = now(), agreed_at = now(), agreed_by = '{one,two}' where charge_id = ${id}`
    await api.owner`
      update charges set status = 'partially_paid', received_atto = 4e18, on_time_atto = 4e18 where id = ${id}`
    const rest = await open(`${id}?token=USDC&network=base&way=scan`)
    expect(rest.text)
      .to.contain('<b>6.00</b> USD left to pay')
      .and.to.contain('<b class="large" data-copy>6.00</b>')

    await api.owner`
      update charges set status = 'confirmed', confirmed_at = now(), received_atto = 12e18, on_time_atto = 12e18,
        paid_with = '{USDC/base}' where id = ${id}`
    const paid = await open(id)
    expect(paid.text)
      .to.contain('You sent 2.00 USD more than needed')
      .and.to.contain('https://basescan.org/tx/0x')
    expect(paid.text).to.contain('href="https://shop.example/thanks"')
  })

  it('does not request a payment on a paused pair, or any payment while every pair is paused', async () => {
    const { id } = await create()
    await api.owner`update pairs set paused_at = now() where token = 'USDT' and network = 'bnb'`
    const one = await open(`${id}?token=USDT&network=bnb`)
    await api.owner`update pairs set paused_at = now()`
    const { text } = await open(`${id}?token=USDC&network=base`)
    await api.owner`update pairs set paused_at = null`
    expect(one.text).to.contain('Do not send USDT on BNB Smart Chain now').and.not.to.contain('network=bnb"')
    expect(text).to.contain('Payments are paused').and.not.to.contain('class="qr"')
  })

  it('shows the testnet contracts for a simulated test charge', async () => {
    const { key: testKey } = await api.issueKey({ environment: 'test' })
    const acceptedPayments = [{ token: 'USDC', network: 'base' }]
    const { id } = await create({ acceptedPayments }, testKey)
    await api.owner`update charges set is_simulated = true, accepted_chains = '{}' where id = ${id}`
    const { text } = await open(`${id}?way=scan`)
    const written = text.replaceAll(/<[^>]*>/g, '')
    expect(written)
      .to.contain('Simulated payment.')
      .and.to.contain('0x036CbD53842c5426634e7929541eC2318f3dCF7e')
  })

  it('forbids caching, framing, indexing and other hosts, and sets no cookies', async () => {
    const { id } = await create()
    const reload = createHash('sha256').update(RELOAD).digest('base64')
    for (const { headers, text } of [
      await open(id),
      await open('unknown'),
      await open(id, { method: 'PUT' }),
    ]) {
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
      expect(headers.get('x-robots-tag')).to.equal('noindex')
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.get('set-cookie')).to.equal(null)
      const style = createHash('sha256')
        .update(/<style>([^]*)<\/style>/.exec(text)?.[1] ?? '')
        .digest('base64')
      expect(headers.get('content-security-policy')).to.equal(
        `default-src 'none'; script-src 'self' 'sha256-${reload}'; connect-src 'self'; img-src 'self' data:; style-src 'sha256-${style}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      )
    }
  })

  it('shows the name, color and logo of an organization’s brand, safely encoded', async () => {
    const { id } = await create()
    const logo = createPng()
    const brand = {
      organizationId: 'org_one',
      name: 'Green Tea',
      accent: '#1f7a4d',
      logo,
      logoType: 'image/png',
    }
    await api.owner`insert into brands ${api.owner(brand)}`
    const { headers, text } = await open(id)
    const path =
      /<img src="(assets\/logo-[0-9a-f]{64})" alt=""><span><small>[^<]*<\/small><b><bdi>Green Tea</.exec(
        text,
      )?.[1] ?? ''
    const shown = await fetch(`${api.baseUrl}/pay/${path}`)
    const bytes = Buffer.from(await shown.arrayBuffer())
    await api.owner`delete from brands`
    for (const [, style = ''] of text.matchAll(/<style>([^]*?)<\/style>/g)) {
      const hash = createHash('sha256').update(style).digest('base64')
      expect(headers.get('content-security-policy')).to.contain(` 'sha256-${hash}'`)
    }
    expect(bytes.equals(logo)).to.equal(true)
    expect(shown.headers.get('content-type')).to.equal('image/png')
    expect(shown.headers.get('content-security-policy')).to.equal(`default-src 'none'; sandbox`)
    expect(shown.headers.get('x-content-type-options')).to.equal('nosniff')
    expect(shown.headers.get('cache-control')).to.contain('immutable')
    expect((await fetch(`${api.baseUrl}/pay/${path}`)).status, 'a deleted logo').to.equal(404)
    expect((await open(id)).text).not.to.contain('Green Tea')
  })

  it('allows product images from the charge’s hosts, unless images are disabled', async () => {
    const imageUrl = 'https://img.example:8443/tea.png'
    const products = [
      { name: 'Tea', imageUrl },
      { name: 'Cup', imageUrl: 'http://img.example/cup.png' },
    ]
    const { id } = await create({ metadata: { service: { products } } })
    const { headers, text } = await open(id)
    expect(headers.get('content-security-policy')).to.contain(
      "; img-src 'self' data: https://img.example:8443; style-src",
    )
    expect(text).to.contain(`<img src="${imageUrl}"`).and.not.to.contain('cup.png')
    const without = await api.startAnother((config) => ({ ...config, checkoutHasImages: false }))
    const page = await fetch(`${without.baseUrl}/pay/${id}`)
    const html = await page.text()
    await without.stop()
    expect(page.headers.get('content-security-policy')).to.contain("; img-src 'self' data:; style-src")
    expect(html).to.contain('Tea').and.not.to.contain('<img')
  })

  it('serves version 1 of the script for merchants’ pages to all origins, with permanent caching', async () => {
    const { status, headers, text } = await open('v1/checkout.js', {
      headers: { Origin: 'https://shop.example' },
    })
    expect(status).to.equal(200)
    expect(text).to.equal(listVersions()[0]?.text)
    expect(headers.get('access-control-allow-origin')).to.equal('*')
    expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
    expect(headers.get('content-type')).to.equal('text/javascript; charset=utf-8')
    expect(headers.get('cross-origin-resource-policy')).to.equal('cross-origin')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    for (const path of ['v0/checkout.js', 'v01/checkout.js', 'v1/checkout', 'v1/', 'checkout.js'])
      expect((await open(path)).status, path).to.equal(404)
    expect((await open('v1/checkout.js', { method: 'POST' })).status).to.equal(404)
  })

  it('may be framed by the configured origins only, and not at all for an unknown charge', async () => {
    const { id } = await create()
    const checkoutFrameOrigins = ['https://shop.example', 'https://other.example:8443']
    const framed = await api.startAnother((config) => ({ ...config, checkoutFrameOrigins }))
    const { headers } = await fetch(`${framed.baseUrl}/pay/${id}`)
    const unknown = await fetch(`${framed.baseUrl}/pay/${newId('ch', Date.now())}`)
    await framed.stop()
    expect(unknown.headers.get('content-security-policy')).to.match(/; frame-ancestors 'none'$/)
    expect(headers.get('content-security-policy')).to.match(
      /; frame-ancestors https:\/\/shop\.example https:\/\/other\.example:8443$/,
    )
  })

  it('may be framed by the origins of its brand instead of the configured origins', async () => {
    const { id } = await create()
    const { key: otherKey } = await api.issueKey({ organization: 'org_two' })
    const other = await create({}, otherKey)
    const ancestorsOf = async (path: string) => frameAncestorsOf(await open(path))
    const origins = ['https://shop.example', 'https://b.example:8443']
    await changeBrand(api.owner, 'org_one', {
      name: 'Green Tea',
      frameOrigins: origins,
      support: 'mailto:a@b.example',
    })
    const shown = [await ancestorsOf(id), await ancestorsOf(other.id), await ancestorsOf('unknown')]
    await changeBrand(api.owner, 'org_two', { name: 'Coffee', frameOrigins: ['https://coffee.example'] })
    const both = [await ancestorsOf(id), await ancestorsOf(other.id)]
    const state = await open(`${id}/state.json`)
    await api.owner`delete from brands`
    expect(shown).to.deep.equal([origins.join(' '), "'none'", "'none'"])
    expect(both, 'the origins of each merchant’s brand').to.deep.equal([
      origins.join(' '),
      'https://coffee.example',
    ])
    expect(JSON.parse(state.text)).to.include({ payee: 'Green Tea', support: 'mailto:a@b.example' })
    for (const frameOrigins of [['*'], ['https://a b'], Array(11).fill('https://a.example')]) {
      const change = changeBrand(api.owner, 'org_one', { name: 'Green Tea', frameOrigins })
      expect(await change.catch(({ code }) => code), frameOrigins.join()).to.equal('23514')
    }
  })

  it('returns the same response for any unknown id, well-formed or not', async () => {
    const { id } = await create()
    const unknown = await open(newId('ch', Date.now()))
    expect(unknown.status).to.equal(404)
    expect(unknown.text).to.contain('Payment not found')
    for (const path of [
      '',
      'x',
      id.toUpperCase(),
      `${id}0`,
      '%00',
      '%E0%A4%A',
      `${id}%20`,
      'ch_'.repeat(500),
    ]) {
      const malformed = await open(path)
      expect([malformed.status, malformed.text], path).to.deep.equal([404, unknown.text])
      const namesOf = (headers: Headers) => [...headers.keys()].filter((name) => name !== 'date')
      expect(namesOf(malformed.headers), path).to.deep.equal(namesOf(unknown.headers))
    }
  })

  it('executes the same database statements for a malformed id as for an unknown id', async () => {
    const asked: string[][] = []
    for (const id of ['malformed', newId('ch', Date.now())]) {
      const statements: string[] = []
      const read = createReadCheckout({ ...deps(), sql: watched(api.owner, (text) => statements.push(text)) })
      expect(await read(id, new Date())).to.equal(null)
      asked.push(statements)
    }
    expect(asked[0]).to.deep.equal(asked[1]).and.have.length(3)
  })

  it('requests only the remaining amount if a partial payment is credited while the page is read', async () => {
    const { id } = await create()
    await insertSeenTransfer(api.owner, { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 4 })
    const credit = async () => {
      await api.owner`update transfers set credited_at = now(), agreed_at = now(), agreed_by = '{one,two}' where charge_id = ${id}`
      await api.owner`update charges set status = 'partially_paid', received_atto = 4e18 where id = ${id}`
    }
    for (const before of [1, 2, 3, 4]) {
      let statements = 0
      const sql = watched(api.owner, async () => {
        statements += 1
        if (statements === before) await credit()
      })
      const reading = await createReadCheckout({ ...deps(), sql })(id, new Date())
      expect(reading?.checkout.remainingAfterSeen, `before statement ${before}`).to.equal('6')
    }
  })

  it('does not show a late payment as in time, even if the payment arrives during the read', async () => {
    for (const before of [1, 2, 3, 4]) {
      const { id } = await create()
      await api.owner`
        update charges set created_at = now() - interval '1 hour', expires_at = now() - interval '1 minute' where id = ${id}`
      let statements = 0
      const sql = watched(api.owner, async () => {
        statements += 1
        if (statements !== before) return
        const transfer = { chargeId: id, blockNumber: 98, txHash: randomHex(32), dollars: 10 }
        await api.owner.begin(async (db) => {
          await insertSeenTransfer(db as unknown as Sql, transfer)
          await db`update transfers set block_timestamp = extract(epoch from now()) where charge_id = ${id}`
        })
      })
      const reading = await createReadCheckout({ ...deps(), sql })(id, new Date())
      expect(reading?.checkout.screen, `before statement ${before}`).to.equal('deciding')
    }
  })

  it('returns 405 to POST, and accepts HEAD', async () => {
    const { id } = await create()
    const { status, headers } = await open(id, { method: 'POST' })
    expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
    expect((await open(id, { method: 'HEAD' })).status).to.equal(200)
  })

  it('leaves other paths to the API', async () => {
    expect((await fetch(`${api.baseUrl}/v1/health`)).headers.get('content-type')).to.contain(
      'application/json',
    )
    expect((await fetch(`${api.baseUrl}/pay/a/b`)).status).to.equal(404)
    expect((await fetch(`${api.baseUrl}/elsewhere`)).headers.get('content-type')).to.contain(
      'application/json',
    )
  })

  it('returns a page on an internal error, and logs the path without the charge’s id', async () => {
    const { id } = await create()
    const before = api.errors.length
    await api.owner`alter table charges rename to charges_gone`
    const { status, text, headers } = await open(id)
    await api.owner`alter table charges_gone rename to charges`
    expect(frameAncestorsOf({ headers }), 'the merchant is unknown').to.equal("'none'")
    expect(status).to.equal(500)
    expect(text).to.contain('Something went wrong on our side').and.to.contain('do not pay again')
    const lines = api.errors.slice(before)
    expect(lines).to.have.length(1)
    expect(lines[0]).to.contain('"path":"/pay/:id"').and.not.to.contain(id)
  })

  it('is limited per address and, after the first ten reads of each address, per charge', async () => {
    const limited = await api.startAnother((config) => ({
      ...config,
      checkoutFrameOrigins: ['https://default.example'],
      rateLimitsPerMinute: { ...config.rateLimitsPerMinute, checkout: 12 },
    }))
    const [one, two] = [await create(), await create()]
    const ask = async (path: string, ip: string) =>
      fetch(`${limited.baseUrl}/pay/${path}`, { headers: { 'x-forwarded-for': ip } })
    const read = async (ip: string, count: number) => {
      const found: number[] = []
      for (let index = 0; index < count; index += 1) found.push((await ask(one.id, ip)).status)
      return found
    }
    // Six addresses each send two requests more than the ten of an address, which uses up the charge's quota of 12.
    for (const at of [1, 2, 3, 4, 5, 6]) expect(await read(`203.0.113.${at}`, 12)).to.not.include(429)
    expect(await read('203.0.113.7', 11)).to.deep.equal([...Array(10).fill(200), 429])
    expect(await read('203.0.113.8', 10), 'the first ten of another address').to.not.include(429)
    const ofAddress: number[] = []
    for (const path of ['x', two.id, 'x', two.id]) ofAddress.push((await ask(path, '203.0.113.8')).status)
    expect(ofAddress, 'the eleventh to fourteenth request of the address').to.deep.equal([404, 200, 429, 429])
    await changeBrand(api.owner, 'org_one', { name: 'Green Tea', frameOrigins: ['https://shop.example'] })
    const over = await ask(one.id, '203.0.113.7')
    await api.owner`delete from brands`
    expect(await over.text())
      .to.contain('Please wait a moment')
      .and.to.contain('do not pay again')
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60)
    expect(frameAncestorsOf(over), 'the merchant is known').to.equal('https://shop.example')
    expect(frameAncestorsOf(await ask(two.id, '203.0.113.8')), 'rejected before the charge is read').to.equal(
      "'none'",
    )
    await limited.stop()
  })
})

function frameAncestorsOf({ headers }: Pick<Response, 'headers'>): string | undefined {
  return /frame-ancestors (.*)$/.exec(headers.get('content-security-policy') ?? '')?.[1]
}

/**
 * Wraps `sql` so that each query that begins with `select` or `with` waits for `tell`, which receives the query's text.
 */
function watched(sql: Sql, tell: (text: string) => unknown): Sql {
  return new Proxy(sql, {
    get: (target, name) =>
      name === 'begin'
        ? (mode: string, work: (db: Sql) => Promise<unknown>) =>
            target.begin(mode, (db) => work(watched(db as unknown as Sql, tell)))
        : Reflect.get(target, name),
    apply: (target, self, [strings, ...values]: [readonly string[], ...unknown[]]) => {
      const query = () => Reflect.apply(target, self, [strings, ...values])
      const text = strings.join('?').trim()
      return /^(select|with) /.test(text) ? Promise.resolve(tell(text)).then(query) : query()
    },
  })
}

describe('a deployment without a hosted checkout', () => {
  let api: TestApi
  before(async () => {
    api = await startTestApi()
  })
  after(() => api.stop())

  it('serves no page, and returns no checkoutUrl', async () => {
    const { key } = await api.issueKey()
    const { body } = await call(api, 'POST /v1/charges', { key, body: { ...CHARGE, metadata: {} } })
    expect(body.checkoutUrl).to.equal(null)
    for (const path of [`/pay/${body.id}`, `/${body.id}`])
      expect((await fetch(api.baseUrl + path)).headers.get('content-type')).to.contain('application/json')
  })
})
