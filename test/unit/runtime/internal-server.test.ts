import { expect } from 'chai'
import {
  createInternalServer,
  type InternalServer,
  type ReadyCheck,
} from '../../../shared/runtime/internal-server.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'

describe('the internal server', () => {
  let server: InternalServer | undefined

  afterEach(() => server?.stop())

  it('is live regardless of its checks', async () => {
    const get = await serve({ database: () => Promise.reject(new Error('down')) })
    expect(await get('/livez')).to.deep.equal({ status: 200, body: { status: 'live' } })
  })

  it('is ready if every check passes', async () => {
    const get = await serve({ database: async () => {}, loops: async () => {} })
    expect(await get('/readyz')).to.deep.equal({
      status: 200,
      body: { status: 'ready', checks: { database: 'ok', loops: 'ok' } },
    })
  })

  it('is not ready if a check fails or hangs, and reports the reason', async () => {
    const get = await serve({
      database: () => Promise.reject(new Error('down')),
      loops: async () => {},
      rpc: () => new Promise(() => {}),
    })
    expect(await get('/readyz')).to.deep.equal({
      status: 503,
      body: {
        status: 'not ready',
        checks: { database: 'down', loops: 'ok', rpc: 'took longer than 900 ms' },
      },
    })
  })

  it('shows the metrics of the process', async () => {
    const get = await serve({})
    const { status, body } = await get('/metrics')
    expect(status).to.equal(200)
    expect(body).to.include('process_cpu_seconds_total{service="test"}').and.include('nodejs_eventloop_lag')
  })

  it('serves the status page at /, renders it from the failed checks, and forbids scripts on it', async () => {
    server = createInternalServer({
      ...{ host: '127.0.0.1', port: 0, metrics: createMetrics({ service: 'test' }) },
      checks: { database: () => Promise.reject(new Error('down')), loops: async () => {} },
      renderPage: async (failedChecks) => JSON.stringify(failedChecks),
    })
    const response = await fetch(`http://127.0.0.1:${await server.start()}/`)
    expect(await response.json()).to.deep.equal({ database: 'down' })
    expect(response.headers.get('content-security-policy')).to.contain("default-src 'none'")
  })

  it('returns 404 for unknown paths and 405 for methods other than GET and HEAD', async () => {
    const get = await serve({})
    expect((await get('/')).status).to.equal(404)
    expect((await get('/livez', 'POST')).status).to.equal(405)
  })

  it('fails to start on a port in use', async () => {
    const first = createServer({}, 0)
    const port = await first.start()
    const outcome = await createServer({}, port)
      .start()
      .catch((error: unknown) => (error as { code: unknown }).code)
    await first.stop()
    expect(outcome).to.equal('EADDRINUSE')
  })

  async function serve(checks: Readonly<Record<string, ReadyCheck>>) {
    server = createServer(checks, 0)
    const port = await server.start()
    return async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
      const text = await response.text()
      const isJson = response.headers.get('content-type') === 'application/json'
      return { status: response.status, body: isJson ? JSON.parse(text) : text }
    }
  }
})

function createServer(checks: Readonly<Record<string, ReadyCheck>>, port: number): InternalServer {
  return createInternalServer({
    host: '127.0.0.1',
    port,
    checks,
    metrics: createMetrics({ service: 'test' }),
  })
}
