import { expect } from 'chai'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { getRequest, isGone, openRawClient, type RawClient } from '../../support/raw-client.ts'

describe('the connections of the API', () => {
  let api: TestApi
  let key: string
  const clients: RawClient[] = []

  const open = async (request: string, options: { isResting?: boolean } = {}): Promise<RawClient> => {
    const client = await openRawClient(api.baseUrl, request, options)
    clients.push(client)
    return client
  }

  afterEach(async () => {
    clients.splice(0).forEach(({ socket }) => socket.destroy())
    await api.stop()
  })

  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    api = await startTestApi(env)
    ;({ key } = await api.issueKey())
  }

  it('are closed if the client sends no complete request, even if the client keeps its side open', async () => {
    await start({ REQUEST_TIMEOUT_SECONDS: '1' })
    const head = `POST /v1/charges HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`
    const halves = ['', 'GET /v1/net', head, `${head}\r\n{"amount":`]
    for (const half of [...halves, ...halves]) await open(half)
    await waitFor(() => clients.filter(isGone).length === clients.length, {
      what: 'the end of all connections',
      timeoutMs: 60_000,
    })
    expect(clients[3]?.text()).to.match(/^HTTP\/1\.1 400 /)
  })

  it('are limited in total', async () => {
    await start({ MAX_CONNECTIONS: '10', MAX_CONNECTIONS_PER_ADDRESS: '100' })
    for (let index = 0; index < 12; index += 1) await open('')
    await waitFor(() => clients.filter(isGone).length === 2, {
      what: 'two refused connections',
      timeoutMs: 60_000,
    })
  })

  it('are limited per address, and a new connection is accepted once an old connection has closed', async () => {
    await start({ MAX_CONNECTIONS_PER_ADDRESS: '5' })
    for (let index = 0; index < 7; index += 1) await open('')
    await waitFor(() => clients.filter(isGone).length === 2, {
      what: 'two refused connections',
      timeoutMs: 60_000,
    })
    clients[0]?.socket.destroy()
    const isServed = async (): Promise<boolean> => {
      const client = await open(getRequest('/v1/networks', key))
      await waitFor(() => client.text() !== '' || isGone(client), {
        what: 'a response or the end of the connection',
        timeoutMs: 60_000,
      })
      return client.text().startsWith('HTTP/1.1 200')
    }
    await waitFor(isServed, { what: 'a free connection', timeoutMs: 60_000 })
  })

  it('are closed at the timeout if the client reads none or only a few bytes of a response', async () => {
    await start({ RESPONSE_STALL_TIMEOUT_SECONDS: '4', LIST_RESPONSE_MAX_KIB: '32768' })
    await insertLargeCharges(20)
    const request = getRequest('/v1/charges?limit=100', key)
    // Reads its response before the others request theirs, which would use up the reader's time on a busy machine.
    const reading = await open(request)
    await waitFor(() => reading.text().length > 20_000_000, { what: 'the whole response', timeoutMs: 60_000 })
    const [resting, trickling] = [
      await open(request, { isResting: true }),
      await open(request, { isResting: true }),
    ]
    const trickle = setInterval(() => trickling.socket.read(1), 100)
    await waitFor(() => countOpen() === 1, { what: 'only one open connection', timeoutMs: 60_000 })
    clearInterval(trickle)
    expect(reading.isClosed()).to.equal(false)
    expect(resting.isClosed() && trickling.isClosed()).to.equal(true)
  })

  it('are closed for one of two clients that read nothing if their unread bytes exceed the limit', async () => {
    await start({ RESPONSE_BUFFER_MAX_MIB: '40', LIST_RESPONSE_MAX_KIB: '32768' })
    await insertLargeCharges(25)
    const request = getRequest('/v1/charges?limit=100', key)
    await open(request, { isResting: true })
    await open(request, { isResting: true })
    await waitFor(() => countOpen() === 1, { what: 'the end of one connection', timeoutMs: 60_000 })
    const { status, body } = await call(api, 'GET /v1/charges?limit=1', { key })
    expect([status, body.data.length]).to.deep.equal([200, 1])
  })

  /** Inserts charges of about 1 MB each. */
  async function insertLargeCharges(count: number): Promise<void> {
    const body = { amount: 1, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }
    for (let index = 0; index < count; index += 1) await call(api, 'POST /v1/charges', { key, body })
    await api.owner`update charges set metadata = ${JSON.stringify({ a: 'x'.repeat(1_000_000) })}`
  }

  function countOpen(): number {
    return clients.length - clients.filter(isGone).length
  }
})
