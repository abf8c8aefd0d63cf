import { expect } from 'chai'
import { listErrorCodes } from '../../../api/docs/openapi/error-codes.ts'
import type { Route } from '../../../api/http/route.ts'
import { createApiKey } from '../../../shared/domain/api-key.ts'
import type { ErrorCode } from '../../../shared/domain/errors.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { SCOPES, type Scope } from '../../../shared/domain/scope.ts'
import { MERCHANT, startTestApi, type TestApi } from '../../support/api.ts'
import { type Answer, call } from '../../support/call-route.ts'
import { createDatabaseLink } from '../../support/database-link.ts'

/** Scopes that conflict with another scope. A key may hold all remaining scopes together. */
const ALONE: readonly Scope[] = ['charges:split_write', 'refunds:write']
const COMBINABLE = SCOPES.filter((scope) => !ALONE.includes(scope))

/* Tests common error codes at every endpoint of the route table that declares them, and thereby at new endpoints. */
describe('every endpoint', function () {
  this.timeout(240_000)

  let api: TestApi
  let key: string
  let refundKey: string

  before(async () => {
    api = await startTestApi({
      RATE_LIMIT_TRANSFERABILITY_PER_MINUTE: '100000',
      RATE_LIMIT_METRICS_PER_MINUTE: '100000',
    })
    ;({ key } = await api.issueKey({ scopes: COMBINABLE }))
    ;({ key: refundKey } = await api.issueKey({ scopes: ['refunds:write'] }))
  })
  after(() => api.stop())

  type Options = Parameters<typeof call>[2]

  /** Calls each endpoint that declares the error code, and expects that code in the response. */
  async function expectOfEach(expected: `${number} ${ErrorCode}`, ask: (route: Route) => Promise<Answer>) {
    const code = expected.split(' ')[1] as ErrorCode
    const routes = api.routes.filter((route) => listErrorCodes(route).includes(code))
    expect(routes.length, `endpoints that declare ${code}`).to.be.greaterThan(5)
    await Promise.all(routes.map(async (route) => expectCode(await ask(route), expected, route)))
  }

  const keyFor = (route: Route) =>
    route.access === 'key' && route.scope === 'refunds:write' ? refundKey : key

  const ask = (route: Route, options: Options = {}, query = '') =>
    call(api, requestOf(route) + query, options)

  it('requires a key', async () => {
    await expectOfEach('401 missing_api_key', (route) => ask(route))
  })

  it('requires a known key', async () => {
    await expectOfEach('401 invalid_api_key', (route) => ask(route, { key: createApiKey('live') }))
  })

  it('rejects a key whose payout address was revoked', async () => {
    const stopped = await api.issueKey({ organization: 'org_stopped' })
    await api.owner`
      insert into recipients (id, organization_id, environment, address, family, payout_stopped_at)
      values (${newId('rc', Date.now())}, 'org_stopped', 'live', ${MERCHANT}, 'evm', now())`
    await expectOfEach('401 payout_address_revoked', (route) => ask(route, { key: stopped.key }))
  })

  it('rejects a key with conflicting scopes', async () => {
    const conflicting = await api.issueKey({ scopes: ['charges:split_write', 'recipients:write'] })
    await expectOfEach('403 conflicting_api_key_scopes', (route) => ask(route, { key: conflicting.key }))
  })

  it('requires the scope of the endpoint', async () => {
    const none = await api.issueKey({ scopes: [] })
    await expectOfEach('403 insufficient_scope', (route) =>
      // The body determines the scope of a metrics query.
      ask(route, { key: none.key, ...(takesBody(route) && { body: METRICS_QUERY }) }),
    )
  })

  it('rejects an unknown query parameter', async () => {
    await expectOfEach('400 validation_error', (route) => ask(route, { key: keyFor(route) }, '?nothing=1'))
  })

  it('rejects a body whose type is not JSON', async () => {
    const headers = { 'content-type': 'text/plain' }
    await expectOfEach('415 unsupported_media_type', (route) =>
      ask(route, { key: keyFor(route), text: 'x', headers }),
    )
  })

  it('rejects a body above 96 KiB, the largest limit of any endpoint', async () => {
    const text = JSON.stringify({ text: 'x'.repeat(96 * 1024) })
    await expectOfEach('413 payload_too_large', (route) => ask(route, { key: keyFor(route), text }))
  })

  it('rejects requests above its rate limit', async () => {
    const limited = await startTestApi({
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_CHECKS_PER_MINUTE: '1',
    })
    const one = await limited.issueKey()
    try {
      await call(limited, 'GET /v1/networks', { key: one.key })
      // Each public endpoint counts separately.
      for (const route of api.routes) if (route.access === 'public') await call(limited, requestOf(route))
      await expectOfEach('429 rate_limited', (route) =>
        call(limited, requestOf(route), { ...(route.access === 'key' && { key: one.key }) }),
      )
    } finally {
      await limited.stop()
    }
  })

  it('returns service_unavailable while the database is down', async () => {
    const link = await createDatabaseLink()
    const orphan = await startTestApi({}, (config) => ({
      ...config,
      databaseUrl: link.through(config.databaseUrl),
    }))
    try {
      await link.cut()
      await expectOfEach('503 service_unavailable', (route) =>
        call(orphan, requestOf(route), { key: createApiKey('live') }),
      )
    } finally {
      await orphan.stop()
    }
  })
})

const METRICS_QUERY = { resource: 'charges' }

/** Returns a request for a missing resource. The tested errors precede the lookup of the resource. */
function requestOf({ method, path }: Route): string {
  return `${method} ${path.replaceAll(/:\w+/g, 'x')}`
}

function takesBody(route: Route): boolean {
  return route.access === 'key' && route.body !== undefined
}

function expectCode(answer: Answer, error: string, { method, path }: Route): void {
  expect(`${answer.status} ${answer.body?.error?.code}`, `${method} ${path}: ${answer.text}`).to.equal(error)
}
