import { expect } from 'chai'
import type { buildConnector } from 'undici'
import { createTargetConnector } from '../../../indexer/webhooks/connect-target.ts'
import { createPostWebhook } from '../../../indexer/webhooks/post-webhook.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import type { AllowedTarget } from '../../../shared/domain/webhook-target.ts'
import { createResolver } from '../../../shared/runtime/resolver.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { type Receiver, refuse, startReceiver } from '../../support/receiver.ts'

/** Timeout for a local name server and a local receiver on a busy machine. */
const PATIENCE_MS = 20_000
const PUBLIC = '93.184.216.34'
const PUBLIC_IPV6 = '2606:2800:220:1:248:1893:25c8:1946'

/** Hosts that are not public or that embed an IPv4 address, in every known notation. Every host must be rejected. */
const LITERALS = [
  // Loopback and "this host".
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0177.1',
  '127.0.0.1.',
  '0.0.0.0',
  '0',
  '0x0',
  '0.1.2.3',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  // Private networks, shared address space, link-local, metadata.
  '10.0.0.1',
  '10.255.255.255',
  '167772161',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
  '0xc0a80101',
  '3232235777',
  '100.64.0.1',
  '100.127.255.254',
  '100.100.100.200',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '169.254.170.2',
  '0251.0376.0251.0376',
  '192.0.0.192',
  '168.63.129.16',
  // Reserved, documentation, benchmarks, multicast, broadcast.
  '192.0.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '198.19.255.255',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  // IPv6: loopback, unspecified, mapped, compatible, NAT64, 6to4, Teredo, link-local, unique local, multicast, others.
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  `[::ffff:${PUBLIC}]`,
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  `[64:ff9b::${PUBLIC}]`,
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001::1]',
  '[2001:0:7f00:1::]',
  '[2001:2::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[100::1]',
  '[2620:4f:8000::1]',
] as const

/** Names and the responses of our name server. Every name must be rejected. */
const NAMES = {
  'loopback.test': ['127.0.0.1'],
  'private.test': ['10.1.2.3'],
  'metadata.test': ['169.254.169.254'],
  'cgnat.test': ['100.64.1.1'],
  'v6-loopback.test': ['::1'],
  'v6-unique-local.test': ['fd12:3456::1'],
  'v6-mapped.test': ['::ffff:10.0.0.1'],
  'v6-nat64.test': ['64:ff9b::a00:1'],
  'v6-6to4.test': ['2002:a00:1::1'],
  'mixed-private-last.test': [PUBLIC, '192.168.0.1'],
  'mixed-private-first.test': ['192.168.0.1', PUBLIC],
  'mixed-families.test': [PUBLIC, 'fd00::1'],
  'mixed-families-other-way.test': ['10.0.0.1', PUBLIC_IPV6],
  'alias-to-private.test': { cname: 'private.test' },
  'alias-of-alias.test': { cname: 'alias-to-private.test' },
} as const

describe('the safety of webhook targets', () => {
  let dns: DnsServer
  let api: TestApi
  let key: string

  before(async () => {
    dns = await startDnsServer({
      ...NAMES,
      'public.test': [PUBLIC],
      'both.test': [PUBLIC, PUBLIC_IPV6],
      'v6.test': [PUBLIC_IPV6],
      'alias.test': { cname: 'public.test' },
      'several.test': ['93.184.216.34', '93.184.216.35', '93.184.216.36', '93.184.216.37'],
      'servfail.test': 'servfail',
      'silent.test': 'silence',
      'empty.test': [],
    })
    api = await startTestApi({
      WEBHOOK_DNS_SERVERS: dns.address,
      WEBHOOK_SEAL_PUBLIC_KEY: Buffer.alloc(32, 9).toString('base64'),
    })
    key = (await api.issueKey({ scopes: ['webhooks:write'] })).key
  })

  after(async () => {
    await api.stop()
    await dns.stop()
  })

  describe('at registration', () => {
    for (const host of LITERALS) {
      it(`rejects https://${host}`, async () => {
        expectError(await register(`https://${host}/hook`), '400 unsafe_webhook_url', 'url')
      })
    }

    for (const host of [...Object.keys(NAMES), 'localhost', 'LOCALHOST', 'localhost.', 'any.localhost']) {
      it(`rejects the name ${host}`, async () => {
        expectError(await register(`https://${host}/hook`), '400 unsafe_webhook_url', 'url')
      })
    }

    for (const [url, code] of [
      ['https://user@public.test/hook', 'unsafe_webhook_url'],
      ['https://user:password@public.test/hook', 'unsafe_webhook_url'],
      ['https://:password@public.test/hook', 'unsafe_webhook_url'],
      ['https://public.test@127.0.0.1/hook', 'unsafe_webhook_url'],
      ['https://127.0.0.1#@public.test/', 'unsafe_webhook_url'],
      ['https://127.0.0.1\\@public.test/', 'unsafe_webhook_url'],
      ['https://127.0.0.1:443/', 'unsafe_webhook_url'],
      ['https://[::1]:8443/', 'unsafe_webhook_url'],
      ['http://public.test/hook', 'insecure_webhook_url'],
      ['http://127.0.0.1/hook', 'insecure_webhook_url'],
      ['ftp://public.test/hook', 'insecure_webhook_url'],
      ['gopher://public.test/hook', 'insecure_webhook_url'],
      ['ws://public.test/hook', 'insecure_webhook_url'],
      ['unknown.test/hook', 'invalid_webhook_url'],
      ['', 'invalid_webhook_url'],
      ['https://', 'invalid_webhook_url'],
      ['https:///hook', 'unresolvable_webhook_url'],
      ['file:///etc/passwd', 'invalid_webhook_url'],
      ['javascript:alert(1)', 'invalid_webhook_url'],
      ['https://[fe80::1%25eth0]/', 'invalid_webhook_url'],
      ['https://256.256.256.256/', 'invalid_webhook_url'],
      ['https://1.2.3.4.5/', 'invalid_webhook_url'],
      [`https://public.test/${'x'.repeat(2048)}`, 'invalid_webhook_url'],
      ['https://unknown.test/hook', 'unresolvable_webhook_url'],
      ['https://empty.test/hook', 'unresolvable_webhook_url'],
      ['https://servfail.test/hook', 'unresolvable_webhook_url'],
    ] as const) {
      it(`returns ${code} for ${url.slice(0, 60)}`, async () => {
        expectError(await register(url), `400 ${code}`, 'url')
      })
    }

    it('returns unresolvable_webhook_url in time if the name server is silent', async () => {
      expectError(await register('https://silent.test/hook'), '400 unresolvable_webhook_url', 'url')
    })

    it('returns unresolvable_webhook_url if a webhook’s URL changes to a nonexistent name', async () => {
      const { body: webhook } = await register('https://public.test/hook')
      const moved = await call(api, `PATCH /v1/webhooks/${String(webhook.id)}`, {
        key,
        body: { url: 'https://unknown.test/hook' },
      })
      expectError(moved, '400 unresolvable_webhook_url', 'url')
    })

    for (const url of [
      'https://public.test/hook',
      'https://PUBLIC.test:8443/hook?a=b#c',
      'https://both.test/',
      'https://v6.test/',
      'https://alias.test/',
      `https://${PUBLIC}/`,
      'https://1.1.1.1:9000/',
      `https://[${PUBLIC_IPV6}]/`,
    ]) {
      it(`accepts ${url}`, async () => {
        const answer = await register(url)
        expect(answer.status, answer.text).to.equal(201)
        expect(answer.body.url).to.equal(url)
      })
    }
  })

  describe('when connecting', () => {
    for (const host of LITERALS) {
      it(`does not connect to https://${host}`, async () => {
        const { outcome, dialled } = await connect(`https://${host}/`)
        expect(outcome).to.equal('unsafe_webhook_url')
        expect(dialled).to.deep.equal([])
      })
    }

    for (const host of [...Object.keys(NAMES), 'localhost', 'any.localhost']) {
      it(`does not connect to the name ${host}`, async () => {
        const { outcome, dialled } = await connect(`https://${host}/`)
        expect(outcome).to.equal('unsafe_webhook_url')
        expect(dialled).to.deep.equal([])
      })
    }

    for (const [host, expected] of [
      ['public.test', [PUBLIC]],
      ['alias.test', [PUBLIC]],
      ['v6.test', [PUBLIC_IPV6]],
      ['both.test', [PUBLIC, PUBLIC_IPV6]],
      ['several.test', ['93.184.216.34', '93.184.216.35', '93.184.216.36']],
      [PUBLIC, [PUBLIC]],
      ['0x5db8d822', [PUBLIC]],
      [`[${PUBLIC_IPV6}]`, [PUBLIC_IPV6]],
    ] as const) {
      it(`connects to ${expected.join(', then ')} for ${host}, and keeps the host of the URL`, async () => {
        const { dialled } = await connect(`https://${host}/`)
        expect(dialled.map(({ hostname }) => hostname)).to.deep.equal(expected)
        expect(new Set(dialled.map((target) => target.host))).to.deep.equal(
          new Set([new URL(`https://${host}`).host]),
        )
      })
    }

    it('checks the target again after registration', async () => {
      dns.set('rebinding.test', [PUBLIC])
      expect((await register('https://rebinding.test/')).status).to.equal(201)
      expect((await connect('https://rebinding.test/')).dialled).to.have.length(1)
      dns.set('rebinding.test', ['169.254.169.254'])
      expect(await connect('https://rebinding.test/')).to.deep.equal({
        outcome: 'unsafe_webhook_url',
        dialled: [],
      })
    })

    it('queries the name server once, so that no second response can differ', async () => {
      dns.set('once.test', [PUBLIC])
      const { dialled } = await connect('https://once.test/')
      expect(dialled.map(({ hostname }) => hostname)).to.deep.equal([PUBLIC])
      expect(dns.asked('once.test')).to.equal(1)
    })

    it('closes a socket whose remote address differs from the chosen address', async () => {
      let destroyed = false
      const socket = { remoteAddress: '127.0.0.1', destroy: () => void (destroyed = true) }
      const { outcome } = await connect('https://public.test/', (_, callback) =>
        callback(null, socket as never),
      )
      expect(outcome).to.equal('unsafe_webhook_url')
      expect(destroyed).to.equal(true)
    })
  })

  describe('with allowed ranges', () => {
    let receiver: Receiver

    before(async () => {
      receiver = await startReceiver()
    })

    after(() => receiver.stop())

    const loopback = [{ cidr: '127.0.0.0/8', allowsHttp: true }]

    it('reaches targets in an allowed range, by address and by name, over plain http', async () => {
      const { port } = new URL(receiver.url)
      for (const host of ['127.0.0.1', 'loopback.test', '2130706433']) {
        expect(await post(`http://${host}:${port}/`, loopback), host).to.include({ responseCode: 200 })
      }
    })

    it('continues with the next address if an address does not respond', async () => {
      const { port } = new URL(receiver.url)
      dns.set('two.test', ['127.0.0.2', '127.0.0.1'])
      expect(await post(`http://two.test:${port}/`, loopback)).to.include({ responseCode: 200 })
    })

    it('still rejects targets outside the ranges', async () => {
      for (const host of ['10.0.0.1', '[::1]', 'private.test', 'metadata.test', 'mixed-private-last.test']) {
        const { error } = await post(`https://${host}/`, loopback)
        expect(error, host).to.match(/^unsafe_webhook_url/)
      }
    })

    it('allows plain http only in a range that permits it, and never for public addresses', async () => {
      const plain = [{ cidr: '127.0.0.0/8', allowsHttp: false }]
      expect((await post(receiver.url, plain)).error).to.match(/^insecure_webhook_url/)
      expect((await post('http://public.test/', loopback)).error).to.match(/^insecure_webhook_url/)
    })

    it('does not follow a redirect to a private address', async () => {
      receiver.behave(refuse(302, { location: 'http://169.254.169.254/latest/meta-data/' }))
      expect(await post(receiver.url, loopback)).to.include({ responseCode: 302, error: null })
    })
  })

  function register(url: string) {
    return call(api, 'POST /v1/webhooks', { key, body: { url, events: ['*'] } })
  }

  /** Connects with `dial`, which by default reaches no host. Returns the outcome and the targets that it received. */
  async function connect(
    url: string,
    dial: buildConnector.connector = (_, callback) => callback(new Error('nobody there'), null),
  ): Promise<{ outcome: string; dialled: readonly buildConnector.Options[] }> {
    const dialled: buildConnector.Options[] = []
    const connector = createTargetConnector({
      resolve: createResolver([dns.address], PATIENCE_MS),
      allowed: [],
      timeoutMs: PATIENCE_MS,
      dial: (target, callback) => {
        dialled.push(target)
        dial(target, callback)
      },
    })
    const { hostname, host, protocol, port } = new URL(url)
    const outcome = await new Promise<string>((resolve) =>
      connector({ hostname, host, protocol, port }, (...[error]) =>
        resolve(error instanceof AppError ? error.code : (error?.message ?? 'connected')),
      ),
    )
    return { outcome, dialled }
  }

  async function post(url: string, allowed: readonly AllowedTarget[]) {
    const resolve = createResolver([dns.address], PATIENCE_MS)
    const client = createPostWebhook(
      createTargetConnector({ resolve, allowed, timeoutMs: PATIENCE_MS }),
      PATIENCE_MS,
    )
    const answer = await client.post(url, { headers: {}, body: Buffer.from('{}') })
    await client.close()
    return answer
  }
})
