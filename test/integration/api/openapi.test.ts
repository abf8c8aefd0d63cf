import { expect } from 'chai'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'

describe('GET /v1/openapi.json', () => {
  let api: TestApi

  before(async () => {
    api = await startTestApi()
  })

  after(() => api?.stop())

  it('answers everybody the document of what is mounted', async () => {
    const { body, headers } = await call(api, 'GET /v1/openapi.json')
    const paths = api.routes.map(({ path }) => path.replace(/:(\w+)/g, '{$1}'))
    expect(Object.keys(body.paths)).to.have.members([...new Set(paths)])
    expect(body.info.version).to.equal('1.2.3')
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8')
  })

  it('answers 304 to whoever has it', async () => {
    const { headers } = await call(api, 'GET /v1/openapi.json')
    const again = await fetch(`${api.baseUrl}/v1/openapi.json`, {
      // Without the second, Node's fetch asks for no cached answer.
      headers: { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
    })
    expect([again.status, await again.text()]).to.deep.equal([304, ''])
  })
})
