import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { createStreamIds } from '../../../api/streams/stream-ids.ts'
import { compiled } from '../../devnet/compiled.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi, TREASURY } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { appendManyEvents } from '../../support/daemon-rows.ts'
import { getRequest, isGone, openRawClient, type RawClient } from '../../support/raw-client.ts'

const SECRET = 'a secret of thirty-two characters'

/** Approximate maximum size of a charge: 16 KiB of metadata, and the checkout's products. */
const LARGEST_BYTES = 96_000

/** Maximum heap. The process also needs 64 MiB for unread bytes, and memory for Node itself. */
const HEAP_MB = 256
const MAX_RESIDENT_MB = 450

const SILENT = 200
const STREAMS = 40

const CHARGE = { amount: 1, acceptedPayments: [{ token: 'USDT', network: 'bnb' }], expiresIn: 600 }

describe(`the API with a heap of ${HEAP_MB} MB`, function () {
  this.timeout(480_000)

  let api: TestApi
  let child: ChildProcess
  let baseUrl: string
  const keys: string[] = []
  const clients: RawClient[] = []

  before(async () => {
    api = await startTestApi()
    const scopes = ['charges:read', 'charges:write', 'webhooks:read'] as const
    for (let index = 0; index < 3; index += 1) keys.push((await api.issueKey({ scopes })).key)
    for (let index = 0; index < 110; index += 1)
      await call(api, 'POST /v1/charges', { key: keys[0] ?? '', body: CHARGE })
    await api.owner`update charges set metadata = ${JSON.stringify({ a: 'x'.repeat(LARGEST_BYTES) })}`
    await append(600)
    child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, await compiled('api/main.ts')], {
      env: {
        PATH: process.env['PATH'], // oxlint-disable-line no-process-env -- where Node is found
        API_DATABASE_URL: api.database.url.api,
        API_PORT: '0',
        API_INTERNAL_PORT: '0',
        TREASURY_ADDRESS: TREASURY,
        CURSOR_SECRET: SECRET,
        DEPLOYMENTS: 'bnb:live',
        RATE_LIMIT_PER_MINUTE: '100000',
        RESPONSE_STALL_TIMEOUT_SECONDS: '5',
        REQUEST_TIMEOUT_SECONDS: '10',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines: string[] = []
    createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) => lines.push(line))
    const listening = await waitFor(() => lines.find((line) => line.includes('"msg":"Listening"')), {
      what: 'the port in the log',
      timeoutMs: 60_000,
    })
    baseUrl = `http://127.0.0.1:${JSON.parse(listening).port}`
  })

  after(async () => {
    clients.forEach(({ socket }) => socket.destroy())
    child.kill('SIGKILL')
    await once(child, 'exit')
    await api.stop()
  })

  it('survives 60 unread pages of the largest charges, 40 unread streams and 200 silent sockets', async () => {
    const health = watchHealth()
    const fromTheBeginning = `Last-Event-ID: ${createStreamIds([SECRET]).ofEvent(0)}`
    for (let index = 0; index < SILENT; index += 1) clients.push(await openRawClient(baseUrl, ''))
    const resting = [
      ...Array.from({ length: STREAMS }, (_, index) =>
        getRequest('/v1/webhooks/listen', keys[1 + (index % 2)] ?? '', [fromTheBeginning]),
      ),
      ...Array.from({ length: 60 }, () => getRequest('/v1/charges?limit=100', keys[0] ?? '')),
    ]
    clients.push(
      ...(await Promise.all(resting.map((request) => openRawClient(baseUrl, request, { isResting: true })))),
    )
    // The server must not buffer these new events for streams whose clients do not read.
    await append(400)
    // Connections with a page are excluded, because one page can fit into the operating system's buffers.
    const held = clients.slice(0, SILENT + STREAMS)
    await waitFor(() => held.filter(isGone).length === held.length, {
      what: 'all connections to end',
      timeoutMs: 180_000,
      intervalMs: 200,
    })
    const statuses = await health.stop()
    expect(child.exitCode).to.equal(null)
    // A busy database might exceed the timeout of the health check, which then returns 503 in its own format.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).to.deep.equal([])
    const isWell = async () => (await fetch(`${baseUrl}/v1/health`)).status === 200
    await waitFor(isWell, { what: 'the API to be healthy', timeoutMs: 60_000 })
    expect(peakResidentMb(), 'peak memory in MB').to.be.below(MAX_RESIDENT_MB)
  })

  it('sends a complete page to a client that reads continuously', async () => {
    const answer = await fetch(`${baseUrl}/v1/charges?limit=100`, {
      headers: { authorization: `Bearer ${keys[0]}` },
    })
    const page = (await answer.json()) as { data: unknown[]; hasMore: boolean }
    expect(page.data.length).to.be.within(5, 11)
    expect(page.hasMore).to.equal(true)
  })

  function append(count: number): Promise<unknown> {
    const event = { type: 'charge.confirmed', category: 'payments', organizationId: 'org_one' }
    return appendManyEvents(api.owner, { ...event, count, bytes: LARGEST_BYTES })
  }

  /** Requests `/v1/health` repeatedly until `stop`, which returns the statuses. */
  function watchHealth() {
    const statuses: number[] = []
    const over = new AbortController()
    const asking = (async () => {
      while (!over.signal.aborted) {
        statuses.push((await fetch(`${baseUrl}/v1/health`)).status)
      }
    })()
    return {
      stop: async () => {
        over.abort()
        await asking
        return statuses
      },
    }
  }

  /**
   * Returns the peak resident memory of the process in MiB.
   *
   * @see proc(5), VmHWM in kB
   */
  function peakResidentMb(): number {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))
    return Math.round(Number(match?.[1]) / 1024)
  }
})
