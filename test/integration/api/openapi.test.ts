import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'

describe('the served API document', () => {
  let api: TestApi

  before(async () => {
    api = await startTestApi()
  })

  after(() => api?.stop())

  it('describes the mounted routes, without a key', async () => {
    const { body, headers } = await call(api, 'GET /v1/openapi.json')
    const paths = api.routes.map(({ path }) => path.replace(/:(\w+)/g, '{$1}'))
    expect(Object.keys(body.paths)).to.have.members([...new Set(paths)])
    expect(body.info.version).to.equal('1.2.3')
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8')
  })

  it('returns 304 to a client that already has the document', async () => {
    const { headers } = await call(api, 'GET /v1/openapi.json')
    const again = await fetch(`${api.baseUrl}/v1/openapi.json`, {
      // Without the second header, Node's fetch adds `cache-control: no-cache`, which prevents a 304.
      headers: { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
    })
    expect([again.status, await again.text()]).to.deep.equal([304, ''])
  })

  it('states that a key may have a payout address on TRON', async () => {
    const { body } = await call(api, 'GET /v1/openapi.json')
    const { description } = body.paths['/v1/recipients/{id}'].patch
    expect(description).to.include('may have another address for TRON').and.not.include('no API key')
  })

  describe('GET /', () => {
    const get = (accept: string) => fetch(`${api.baseUrl}/`, { headers: { accept } })

    it('links programs to the documentation', async () => {
      for (const accept of ['*/*', 'application/json']) {
        const answer = await get(accept)
        expect([answer.status, answer.headers.get('vary')]).to.deep.equal([200, 'Accept'])
        expect(await answer.json()).to.include({ documentation: '/docs', openapi: '/v1/openapi.json' })
      }
    })

    it('links browsers to the documentation on a page without scripts', async () => {
      const answer = await get('text/html,application/xhtml+xml,*/*;q=0.8')
      expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(answer.headers.get('content-security-policy')).to.match(
        /^default-src 'none'; style-src 'sha256-/,
      )
      expect(await answer.text()).to.include('<a href="/docs">')
    })

    it('counts against the rate limit of the client IP address', async () => {
      expect((await get('*/*')).headers.get('ratelimit')).to.match(/^"default";r=\d+/)
    })
  })

  describe('GET /docs', () => {
    it('shows every endpoint, event, code and schema without a key', async () => {
      const page = await (await fetch(`${api.baseUrl}/docs`)).text()
      const { body } = await call(api, 'GET /v1/openapi.json')
      for (const path of Object.keys(body.paths)) expect(page).to.include(`<span>${path}</span>`)
      const { ErrorCode } = body.components.schemas
      for (const word of [...ErrorCode.enum, ...Object.keys(body.webhooks)])
        expect(page).to.include(`>${word}<`)
      for (const name of Object.keys(body.components.schemas)) expect(page).to.include(`id="schema-${name}"`)
    })

    it('has only valid internal links and no scripts', async () => {
      const answer = await fetch(`${api.baseUrl}/docs`)
      const page = await answer.text()
      const links = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
      const anchors = new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id))
      const dangling = links.filter((link) => link !== '/v1/openapi.json' && !anchors.has(link.slice(1)))
      expect(dangling).to.deep.equal([])
      expect(page).to.not.match(/<script|style="|https?:\/\/[^<]*"/)
      expect(answer.headers.get('content-security-policy')).to.match(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/,
      )
    })

    it('allows its own style by hash', async () => {
      const answer = await fetch(`${api.baseUrl}/docs`)
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(await answer.text()) ?? []
      const hash = createHash('sha256').update(style).digest('base64')
      expect(answer.headers.get('content-security-policy')).to.include(`'sha256-${hash}'`)
    })
  })
})
