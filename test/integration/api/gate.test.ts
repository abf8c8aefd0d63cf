import { connect as openSocket } from 'node:net'
import { expect } from 'chai'
import { createApiKey } from '../../../shared/domain/api-key.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { MERCHANT, startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { openRawClient } from '../../support/raw-client.ts'

describe('the checks of every request', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
  })
  after(() => api.stop())

  it('reject requests without a key at every endpoint except health and the API document', async () => {
    for (const { method, path, access } of api.routes) {
      const answer = await call(api, `${method} ${path.replace(':id', 'ch_1')}`)
      if (access === 'public') expect(answer.status).to.equal(200)
      else {
        expectError(answer, '401 missing_api_key')
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer')
      }
    }
  })

  it('return 400 in the Error shape for a request target that is not a URL, and log a warning', async () => {
    const { text, socket } = await openRawClient(
      api.baseUrl,
      'GET http://[/v1/health HTTP/1.1\r\nHost: x\r\n\r\n',
    )
    await waitFor(() => text().includes('}}'), { what: 'a response', timeoutMs: 10_000 })
    socket.destroy()
    expect(text()).to.match(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text().split('\r\n\r\n')[1] ?? '')).to.have.nested.property(
      'error.code',
      'validation_error',
    )
    const id = /^Request-Id: (.*)\r$/im.exec(text())?.[1]
    expect(api.warnings.filter((line) => line.includes(`"request_id":"${id}"`))).to.have.length(1)
  })

  it('reject a key without scopes at every endpoint that requires a scope', async () => {
    const none = await api.issueKey({ scopes: [] })
    for (const route of api.routes) {
      if (route.access === 'public' || route.scope === null) continue
      const answer = await call(api, `${route.method} ${route.path.replace(':id', 'ch_1')}`, {
        key: none.key,
        ...(route.method === 'POST' ? { body: {} } : {}),
      })
      expectError(answer, '403 insufficient_scope')
      expect(answer.headers.get('www-authenticate')).to.equal(
        `Bearer error="insufficient_scope", scope="${[route.scope].flat()[0]}"`,
      )
    }
  })

  describe('authentication', () => {
    it('accepts a key without scopes', async () => {
      const none = await api.issueKey({ scopes: [] })
      expect((await call(api, 'GET /v1/networks', { key: none.key })).status).to.equal(200)
    })

    it('returns the same 401 for every kind of invalid key', async () => {
      const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
      for (const text of [wrong, createApiKey('live'), 'svc_live_x', 'é', `${key} ${key}`]) {
        const answer = await call(api, 'GET /v1/networks', {
          headers: { authorization: `Bearer ${encodeURI(text)}` },
        })
        expectError(answer, '401 invalid_api_key')
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer error="invalid_token"')
      }
      const basic = await call(api, 'GET /v1/networks', { headers: { authorization: `Basic ${key}` } })
      expectError(basic, '401 invalid_api_key')
    })

    it('does not query the database for a key with a wrong checksum', async () => {
      const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
      await api.owner.begin(async (db) => {
        await db`lock table api_keys in access exclusive mode` // A lookup of any key would wait for this lock.
        expectError(await call(api, 'GET /v1/networks', { key: wrong }), '401 invalid_api_key')
      })
    })

    it('rejects a revoked key from the next request on', async () => {
      const revoked = await api.issueKey()
      expect((await call(api, 'GET /v1/networks', { key: revoked.key })).status).to.equal(200)
      await api.owner`update api_keys set revoked_at = now() where id = ${revoked.id}`
      expectError(await call(api, 'GET /v1/networks', { key: revoked.key }), '401 invalid_api_key')
    })

    it('rejects a key whose payout address was revoked, until the recipient is eligible for payouts again', async () => {
      const stopped = await api.issueKey({ organization: 'org_stopped' })
      const foreign = await api.issueKey({ organization: 'org_other' })
      await api.owner`
        insert into recipients (id, organization_id, environment, address, family, payout_stopped_at)
        values (${newId('rc', Date.now())}, 'org_stopped', 'live', ${MERCHANT}, 'evm', now())`
      expectError(await call(api, 'GET /v1/networks', { key: stopped.key }), '401 payout_address_revoked')
      expect((await call(api, 'GET /v1/networks', { key: foreign.key })).status).to.equal(200)
      await api.owner`update recipients set payout_stopped_at = null`
      expect((await call(api, 'GET /v1/networks', { key: stopped.key })).status).to.equal(200)
    })

    it('rejects a key with scopes to both register and pay recipients, on every path', async () => {
      for (const scope of ['recipients:write', 'recipients:manage_payout'] as const) {
        const conflicting = await api.issueKey({ scopes: ['charges:split_write', scope] })
        for (const request of ['GET /v1/networks', 'POST /v1/charges', 'GET /v1/nothing']) {
          expectError(await call(api, request, { key: conflicting.key }), '403 conflicting_api_key_scopes')
        }
      }
    })
  })

  describe('paths and methods', () => {
    it('return 404 in the Error shape for an unknown path', async () => {
      expectError(await call(api, 'GET /v1/nothing', { key }), '404 not_found')
      expectError(await call(api, 'GET /v1/charges/ch_1/nothing', { key }), '404 not_found')
      expectError(await call(api, 'GET /nothing'), '404 not_found')
    })

    it('are not revealed to requests without a key', async () => {
      expectError(await call(api, 'GET /v1/nothing'), '401 missing_api_key')
      expectError(await call(api, 'DELETE /v1/charges'), '401 missing_api_key')
    })

    it('reject a NUL character in a path', async () => {
      expectError(await call(api, 'GET /v1/charges/%00', { key }), '400 validation_error', 'id')
      const webhooks = await api.issueKey({ scopes: ['webhooks:write'] })
      const answer = await call(api, 'DELETE /v1/webhooks/wh_%00', { key: webhooks.key })
      expectError(answer, '400 validation_error', 'id')
    })

    it('return 405 with the allowed methods', async () => {
      for (const method of ['DELETE', 'PUT', 'OPTIONS', 'PATCH']) {
        const answer = await call(api, `${method} /v1/charges`, { key })
        expectError(answer, '405 method_not_allowed')
        expect(answer.headers.get('allow')).to.equal('GET, HEAD, POST')
      }
    })

    it('treat HEAD like GET without a body', async () => {
      const answer = await fetch(`${api.baseUrl}/v1/charges`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${key}` },
      })
      expect(answer.status).to.equal(200)
      expect(Number(answer.headers.get('content-length'))).to.be.above(10)
    })
  })

  describe('the body', () => {
    const post = (options: { text?: string; headers?: Record<string, string> }) =>
      call(api, 'POST /v1/charges', { key, ...options })

    it('is required', async () => {
      expectError(await post({ headers: { 'content-type': 'application/json' } }), '400 validation_error')
    })

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'x',
    ]) {
      it(`must not be ${type}`, async () => {
        expectError(
          await post({ text: '{}', headers: { 'content-type': type } }),
          '415 unsupported_media_type',
        )
      })
    }

    it('must not be compressed', async () => {
      const answer = await post({ text: '{}', headers: { 'content-encoding': 'gzip' } })
      expectError(answer, '415 unsupported_media_type')
    })

    it('may name its charset', async () => {
      const answer = await post({
        text: '{}',
        headers: { 'content-type': 'Application/JSON; charset="UTF-8"' },
      })
      expectError(answer, '400 validation_error', 'amount')
    })

    it('must not exceed 96 KiB, with or without a Content-Length', async () => {
      const most = JSON.stringify({ source: 'x'.repeat(96 * 1024 - 13) })
      expectError(await post({ text: most }), '400 validation_error', 'amount')
      expectError(await post({ text: `${most} ` }), '413 payload_too_large')
      const chunked = await fetch(`${api.baseUrl}/v1/charges`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: new Blob([most, most]).stream(),
        duplex: 'half',
      } as RequestInit)
      expect(chunked.status).to.equal(413)
      expect(await chunked.json()).to.have.nested.property('error.code', 'payload_too_large')
    })

    it('is rejected because of its Content-Length before it is received', async () => {
      const head = `POST /v1/charges HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${96 * 1024 + 1}\r\n\r\n`
      expect(await exchange(head)).to.match(/^HTTP\/1\.1 413 /)
    })

    it('must not exceed 64 KiB for POST /v1/recipients', async () => {
      const { key: registrar } = await api.issueKey({ scopes: ['recipients:write'] })
      const most = JSON.stringify({ label: 'x'.repeat(64 * 1024 - 12) })
      const ask = (text: string) => call(api, 'POST /v1/recipients', { key: registrar, text })
      expectError(await ask(most), '400 validation_error', 'address')
      expectError(await ask(`${most} `), '413 payload_too_large')
    })

    it('must be UTF-8', async () => {
      const answer = await fetch(`${api.baseUrl}/v1/charges`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: Buffer.from([0x22, 0xff, 0x22]),
      })
      expect(answer.status).to.equal(400)
      expect(await answer.json()).to.deep.equal({
        error: { code: 'validation_error', message: 'the body is not UTF-8' },
      })
    })

    for (const text of ['', 'null', '[]', '"x"', '{', '{"amount":1,"amount":2}', '{"__proto__":{}}']) {
      it(`must not be ${JSON.stringify(text)}`, async () => {
        expect((await post({ text: text === '' ? ' ' : text })).body.error.code).to.equal('validation_error')
      })
    }
  })

  it('return errors for invalid HTTP in the Error shape', async () => {
    const [head, body] = (await exchange('NONSENSE\r\n\r\n')).split('\r\n\r\n')
    expect(head).to.match(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(body ?? '')).to.have.nested.property('error.code', 'validation_error')
  })

  it('return errors that Node raises in the Error shape with a request id', async () => {
    const strange = {
      'no host': `GET /v1/networks HTTP/1.1\r\nConnection: close\r\n\r\n`,
      'an expectation': `GET /v1/networks HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n`,
      'invalid HTTP': 'NONSENSE\r\n\r\n',
    }
    for (const [title, request] of Object.entries(strange)) {
      const [head, body] = (await exchange(request)).split('\r\n\r\n')
      expect(head, title).to.match(/\r\nRequest-Id: \S+/i)
      expect(JSON.parse(body ?? ''), title).to.have.nested.property('error.code')
    }
  })

  it('survive a client that disconnects in the middle of its request body', async () => {
    const { port } = new URL(api.baseUrl)
    const socket = openSocket(Number(port), '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    const lines = [
      `POST /v1/charges HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Content-Length: 100',
      '',
      '{"am',
    ]
    await new Promise((resolve) => socket.write(lines.join('\r\n'), resolve))
    socket.destroy()
    expect((await call(api, 'GET /v1/networks', { key })).status).to.equal(200)
  })

  /** Sends raw bytes, and returns all received data until the server closes the connection. */
  async function exchange(request: string): Promise<string> {
    const socket = openSocket(Number(new URL(api.baseUrl).port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.write(request)
    await new Promise((resolve) => socket.once('close', resolve))
    return text
  }

  it('have not logged an internal error in any of these tests', () => expect(api.errors).to.deep.equal([]))
})

/** Body of a charge on a pair that is available in both environments. */
const CHECKED = { amount: 1, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }

describe('the rate limit', () => {
  let api: TestApi
  const proxied = (ip: string) => ({ 'x-forwarded-for': ip })

  before(async () => {
    api = await startTestApi({
      RATE_LIMIT_PER_MINUTE: '3',
      RATE_LIMIT_CHECKS_PER_MINUTE: '2',
      TRUST_PROXY: '1',
    })
  })
  after(() => api.stop())

  it('shows each key its remaining quota, and rejects requests above the quota with Retry-After', async () => {
    const { key } = await api.issueKey()
    const remaining: (string | null)[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      const { status, headers } = await call(api, 'GET /v1/networks', { key })
      expect(status).to.equal(200)
      expect(headers.get('ratelimit-policy')).to.equal('"default";q=3;w=60')
      remaining.push(headers.get('ratelimit'))
    }
    expect(remaining.map((text) => text?.replace(/t=([1-9]|[1-5]\d|60)$/, 't=60'))).to.deep.equal([
      '"default";r=2;t=60',
      '"default";r=1;t=60',
      '"default";r=0;t=60',
    ])
    const over = await call(api, 'GET /v1/networks', { key })
    expectError(over, '429 rate_limited')
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60)
    expect(over.headers.get('ratelimit')).to.match(/^"default";r=0;t=\d+$/)
  })

  it('counts a key’s requests to all processes together', async () => {
    const another = await api.startAnother()
    const { key } = await api.issueKey()
    const statuses: number[] = []
    for (const { baseUrl } of [api, another, api, another, api]) {
      statuses.push((await call({ ...api, baseUrl }, 'GET /v1/networks', { key })).status)
    }
    await another.stop()
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429])
  })

  it('admits exactly the quota of simultaneous requests, each with its own count', async () => {
    const { key } = await api.issueKey()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(api, 'GET /v1/networks', { key })),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(3)
    const places = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => /r=\d+/.exec(headers.get('ratelimit') ?? '')?.[0])
    expect(new Set(places)).to.deep.equal(new Set(['r=0', 'r=1', 'r=2']))
  })

  it('counts rejections in a metric by the name of the limit', async () => {
    const { key } = await api.issueKey()
    const counted = async () =>
      Number(
        /^http_requests_rate_limited_total\{limit="default".*\} (\d+)$/m.exec(
          await api.metrics.metrics(),
        )?.[1] ?? 0,
      )
    const before = await counted()
    for (let turn = 0; turn < 5; turn += 1) await call(api, 'GET /v1/networks', { key })
    expect((await counted()) - before).to.equal(2)
  })

  it('does not query the database for an exhausted key until its window ends', async () => {
    const { key, id } = await api.issueKey()
    const used = async (): Promise<number> =>
      (await api.owner<[{ used: number }]>`select used from rate_limits where bucket = ${`key:${id}`}`)[0]
        .used
    for (let turn = 0; turn < 4; turn += 1) await call(api, 'GET /v1/networks', { key })
    const before = await used()
    for (let turn = 0; turn < 4; turn += 1)
      expectError(await call(api, 'GET /v1/networks', { key }), '429 rate_limited')
    expect(await used()).to.equal(before)
  })

  it('admits requests again when the window has ended', async () => {
    const another = await api.startAnother()
    const { key, id } = await api.issueKey()
    for (let turn = 0; turn < 3; turn += 1) await call(api, 'GET /v1/networks', { key })
    await api.owner`update rate_limits set window_start = window_start - interval '60 seconds' where bucket = ${`key:${id}`}`
    const answer = await call({ ...api, baseUrl: another.baseUrl }, 'GET /v1/networks', { key })
    await another.stop()
    expect(answer.headers.get('ratelimit')).to.match(/^"default";r=2;t=([1-9]|[1-5]\d|60)$/)
  })

  it('counts requests without a valid key per address, and per /64 for IPv6', async () => {
    const stranger = proxied('2001:db8:0:1::1')
    const neighbour = proxied('2001:db8:0:1:ffff::2')
    expectError(await call(api, 'GET /v1/networks', { headers: stranger }), '401 missing_api_key')
    expectError(
      await call(api, 'GET /v1/networks', { headers: neighbour, key: 'nonsense' }),
      '401 invalid_api_key',
    )
    expectError(
      await call(api, 'GET /v1/nothing', { headers: stranger, key: createApiKey('live') }),
      '401 invalid_api_key',
    )
    const over = await call(api, 'GET /v1/networks', { headers: neighbour })
    expectError(over, '429 rate_limited')
    expect(over.headers.get('retry-after')).to.match(/^\d+$/)
    expectError(
      await call(api, 'GET /v1/networks', { headers: proxied('2001:db8:0:2::1') }),
      '401 missing_api_key',
    )
  })

  it('admits health requests of an address whose requests with wrong keys exceed the limit', async () => {
    const headers = proxied('203.0.113.79')
    for (let turn = 0; turn < 4; turn += 1) await call(api, 'GET /v1/networks', { headers, key: 'nonsense' })
    expectError(await call(api, 'GET /v1/networks', { headers, key: 'nonsense' }), '429 rate_limited')
    const { status, body } = await call(api, 'GET /v1/health', { headers })
    expect([status, body.status]).to.deep.equal([200, 'ok'])
  })

  it('counts requests for health separately', async () => {
    const headers = proxied('203.0.113.78')
    for (let turn = 0; turn < 3; turn += 1) await call(api, 'GET /v1/health', { headers })
    expectError(await call(api, 'GET /v1/health', { headers }), '429 rate_limited')
  })

  it('does not reject a valid key from an exhausted address', async () => {
    const { key } = await api.issueKey()
    const headers = proxied('203.0.113.9')
    for (let turn = 0; turn < 4; turn += 1) await call(api, 'GET /v1/networks', { headers })
    expect((await call(api, 'GET /v1/networks', { headers, key })).status).to.equal(200)
  })

  it('uses only the entry of X-Forwarded-For that our own proxy appended', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      await call(api, 'GET /v1/networks', { headers: proxied(`10.0.0.${turn}, 198.51.100.1`) })
    }
    const over = await call(api, 'GET /v1/networks', { headers: proxied('10.0.0.9, 198.51.100.1') })
    expectError(over, '429 rate_limited')
  })

  it('uses the socket’s address if the proxy’s entry is not an address', async () => {
    const before = await addressBuckets()
    for (const forged of ['x\0', 'unknown', '1.2.3.4, a'.repeat(500), '999.1.1.1', '198.51.100.1, ']) {
      const { status } = await call(api, 'GET /v1/networks', { headers: proxied(forged.replace('\0', '_')) })
      expect(status, forged).to.be.oneOf([401, 429])
    }
    const made = (await addressBuckets()).filter((bucket) => !before.includes(bucket))
    expect(
      made.every((bucket) => /^ip:(127\.0\.0\.1|0:0:0:0::\/64)$/.test(bucket)),
      made.join(),
    ).to.equal(true)
    await call(api, 'GET /v1/networks', { headers: proxied('198.51.100.77:4711') })
    await call(api, 'GET /v1/networks', { headers: proxied('[2001:db8:0:9::1]:4711') })
    expect(await addressBuckets()).to.include.members(['ip:198.51.100.77', 'ip:2001:db8:0:9::/64'])
  })

  async function addressBuckets(): Promise<readonly string[]> {
    const rows = await api.owner<
      { bucket: string }[]
    >`select bucket from rate_limits where bucket like 'ip:%'`
    return rows.map(({ bucket }) => bucket)
  }

  it('counts charge checks separately per organization and environment', async () => {
    const organization = 'org_checks'
    const [one, two, test] = [
      await api.issueKey({ organization }),
      await api.issueKey({ organization }),
      await api.issueKey({ organization, environment: 'test' }),
    ]
    const check = async (key: string) => {
      const { body } = await call(api, 'POST /v1/charges', { key, body: CHECKED })
      await api.owner`update charges set status = 'confirmed', confirmed_at = now() where id = ${body.id}`
      return call(api, `POST /v1/charges/${body.id}/check`, { key })
    }
    const first = await check(one.key)
    expect(first.status, first.text).to.equal(200)
    expect(first.headers.get('ratelimit-policy')).to.equal('"default";q=3;w=60, "checks";q=2;w=60')
    expect((await check(two.key)).status).to.equal(200)
    const { key: third } = await api.issueKey({ organization })
    const over = await check(third)
    expectError(over, '429 rate_limited')
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60)
    expect((await check(test.key)).status, 'in the other environment').to.equal(200)
  })

  it('does not count a check without the scope or with an unknown charge', async () => {
    const organization = 'org_uncounted'
    const reader = await api.issueKey({ organization, scopes: ['charges:read'] })
    for (let turn = 0; turn < 3; turn += 1) {
      const refused = await call(api, 'POST /v1/charges/ch_none/check', { key: reader.key })
      expectError(refused, '403 insufficient_scope')
      const { key } = await api.issueKey({ organization })
      expectError(await call(api, 'POST /v1/charges/ch_none/check', { key }), '404 charge_not_found')
    }
    const [row] = await api.owner`
      select count(*)::int as count from rate_limits where bucket like ${`checks:${organization}%`}`
    expect(row).to.deep.equal({ count: 0 })
  })

  it('rejects simultaneous requests above the quota without querying the database', async () => {
    const headers = proxied('203.0.113.77')
    // While the test locks the row of the address, no request is counted.
    await call(api, 'GET /v1/networks', { headers })
    const statuses: number[] = []
    const ask = async () => statuses.push((await call(api, 'GET /v1/networks', { headers })).status)
    const asked = await api.owner.begin(async (sql) => {
      await sql`select from rate_limits where bucket = 'ip:203.0.113.77' for update`
      const waiting = Array.from({ length: 10 }, ask)
      await waitFor(() => statuses.length === 7, { what: 'seven rejected requests', timeoutMs: 10_000 })
      return { waiting, rejected: [...statuses] }
    })
    expect(asked.rejected, 'while the row was locked').to.deep.equal(Array(7).fill(429))
    await Promise.all(asked.waiting)
    expect(
      statuses.filter((status) => status === 401),
      'the two requests that the quota admits after the first request',
    ).to.have.length(2)
  })
})

describe('the default rate limits', () => {
  it('are 100 a minute, also for the keeper feed and for checks', async () => {
    const api = await startTestApi({
      RATE_LIMIT_PER_MINUTE: '',
      RATE_LIMIT_CHECKS_PER_MINUTE: '',
    })
    const { key } = await api.issueKey()
    const { headers } = await call(api, 'GET /v1/distributions/pending', { key })
    expect(headers.get('ratelimit-policy')).to.equal('"default";q=100;w=60')
    const { body } = await call(api, 'POST /v1/charges', { key, body: CHECKED })
    await api.owner`update charges set status = 'confirmed', confirmed_at = now() where id = ${body.id}`
    const check = await call(api, `POST /v1/charges/${body.id}/check`, { key })
    expect(check.headers.get('ratelimit-policy')).to.equal('"default";q=100;w=60, "checks";q=100;w=60')
    await api.stop()
  })
})
