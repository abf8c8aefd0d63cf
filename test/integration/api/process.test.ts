import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect as openSocket } from 'node:net'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import Koa from 'koa'
import { createApiServer } from '../../../api/http/create-server.ts'
import { readApiConfig } from '../../../shared/runtime/api-config.ts'
import { claimPort } from '../../devnet/claim-port.ts'
import { compiled } from '../../devnet/compiled.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi, TREASURY } from '../../support/api.ts'
import { readEvents } from '../../support/read-events.ts'

/** Starts the compiled `api/main.ts`, and collects the lines of its output. */
async function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [await compiled('api/main.ts'), ...args], {
    env: { PATH: process.env['PATH'], ...env },
  })
  const lines: string[] = []
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => lines.push(line))
  }
  return { child, lines, exited: once(child, 'exit') as Promise<[code: number | null]> }
}

describe('the API as a process', () => {
  let api: TestApi
  let env: Readonly<Record<string, string>>
  let children: ChildProcess[] = []

  before(async () => {
    api = await startTestApi()
    env = {
      API_DATABASE_URL: api.database.url.api,
      API_PORT: '0',
      API_INTERNAL_PORT: '0',
      TREASURY_ADDRESS: TREASURY,
      CURSOR_SECRET: 'a secret of thirty-two characters',
      // The charge is in USDT on bnb, a token without a restriction function, so no public node is queried.
      DEPLOYMENTS: 'bnb:live',
    }
  })
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    children = []
  })
  after(() => api.stop())

  const run = async (args: readonly string[], withEnv = env) => {
    const started = await start(args, withEnv)
    children.push(started.child)
    return started
  }

  it('shows its help', async () => {
    const { lines, exited } = await run(['--help'], {})
    expect(await exited).to.deep.equal([0, null])
    expect(lines.join('\n')).to.contain('--check-config')
  })

  it('reports every configuration error, and accepts a valid configuration', async () => {
    const bad = await run(['--check-config'], { API_PORT: 'x' })
    expect((await bad.exited)[0]).to.equal(1)
    for (const name of ['API_DATABASE_URL', 'API_PORT', 'TREASURY_ADDRESS', 'CURSOR_SECRET']) {
      expect(bad.lines.join('\n')).to.contain(name)
    }
    const good = await run(['--check-config'])
    expect((await good.exited)[0]).to.equal(0)
  })

  it('serves requests, and on SIGTERM ends its streams, completes pending requests and exits 0', async () => {
    const { child, lines, exited } = await run([])
    const baseUrl = await listeningAt(lines)
    const { key } = await api.issueKey()
    const stream = await readEvents(`${baseUrl}/v1/distributions/pending/events`, { key })
    // A client that has connected but sent no request must not delay the shutdown.
    const silent = openSocket(Number(new URL(baseUrl).port), '127.0.0.1')
    await once(silent, 'connect')
    silent.on('error', () => {})
    // The rest of the body is sent after the signal.
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const writer = body.writable.getWriter()
    const answer = fetch(`${baseUrl}/v1/charges`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body.readable,
      duplex: 'half',
    } as RequestInit)
    await writer.write(Buffer.from('{"amount":1,"acceptedPayments":[{"token":"USDT",'))
    await waitFor(async () => (await countRequests()) >= 2, {
      what: 'the request to be counted',
      timeoutMs: 60_000,
    })

    child.kill('SIGTERM')
    await stream.until('the end', ({ isEnded }) => isEnded())
    await waitFor(
      async () =>
        fetch(`${baseUrl}/v1/health`).then(
          () => false,
          () => true,
        ),
      { what: 'new connections to be refused', timeoutMs: 60_000 },
    )
    await waitFor(() => silent.closed, { what: 'the silent connection to be closed', timeoutMs: 60_000 })
    await writer.write(Buffer.from('"network":"bnb"}],"expiresIn":60}'))
    await writer.close()
    expect((await answer).status, 'the request that was pending at SIGTERM').to.equal(201)
    expect(await exited).to.deep.equal([0, null])
    expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line))).to.deep.equal([])
  })

  it('keeps serving for API_DRAIN_SECONDS after SIGTERM while it reports not ready, and closes each connection after its response', async () => {
    const internalPort = await claimPort()
    const settings = { API_DRAIN_SECONDS: '8', API_INTERNAL_PORT: String(internalPort) }
    const { child, lines, exited } = await run([], { ...env, ...settings })
    const baseUrl = await listeningAt(lines)
    const ready = () => fetch(`http://127.0.0.1:${internalPort}/readyz`)
    await waitFor(async () => (await ready()).status === 200, {
      what: 'the API to be ready',
      timeoutMs: 60_000,
    })

    // Before the signal, because this process might pause after it.
    const askedAtMs = performance.now()
    child.kill('SIGTERM')
    const unready = await waitFor(async () => (await ready()).status === 503 && (await ready()).json(), {
      what: 'readiness to end',
      timeoutMs: 7_000,
    })
    expect(unready).to.have.nested.property('checks.serving', 'the server is stopping')
    const answer = await fetch(`${baseUrl}/v1/health`)
    expect([answer.status, answer.headers.get('connection')]).to.deep.equal([200, 'close'])
    expect(await exited).to.deep.equal([0, null])
    expect(performance.now() - askedAtMs).to.be.within(8_000, 60_000)
  })

  it('reports ready only after it has started to listen and before it starts to stop', async () => {
    const config = readApiConfig(env)
    const bounds = { host: '127.0.0.1', port: 0, drainMs: 0, onStopping: () => undefined }
    const server = createApiServer(new Koa(), { ...bounds, connections: config.connections })
    const readiness = () => server.requireServing().catch(({ message }: Error) => message)
    expect(await readiness()).to.equal('the server is not listening yet')
    await server.start()
    expect(await readiness()).to.equal(undefined)
    await server.stop()
    expect(await readiness()).to.equal('the server is stopping')
  })

  async function listeningAt(lines: readonly string[]): Promise<string> {
    const listening = await waitFor(() => lines.find((line) => line.includes('"msg":"Listening"')), {
      what: 'the port in the log',
      timeoutMs: 60_000,
    })
    return `http://127.0.0.1:${JSON.parse(listening).port}`
  }

  /** Returns the number of requests with a key that the rate limit has counted. */
  async function countRequests(): Promise<number> {
    const [row] = await api.owner<[{ used: number }]>`
      select coalesce(sum(used), 0)::int as used from rate_limits where bucket like 'key:%'`
    return row.used
  }
}).timeout(240_000)
