import { expect } from 'chai'
import { waitFor } from '../../devnet/wait-for.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { type ApiProcess, startApiProcess } from '../../support/attack/api-process.ts'
import { type Client, createClientAt } from '../../support/attack/client-at.ts'
import { openMany, pipeline, readNothing, shortRequest } from '../../support/attack/raw-attacks.ts'
import { call } from '../../support/call-route.ts'

const CHARGE = { amount: 1, acceptedPayments: [{ token: 'USDT', network: 'bnb' }], expiresIn: 600 }

/** A list of ten charges with metadata of this size is about 890 KB. */
const METADATA_BYTES = 88_000

/** Maximum memory growth after an attack, in MB. */
const KEPT_MB = 50

describe('the API with default limits under unauthenticated attacks', function () {
  this.timeout(240_000)

  let api: TestApi
  let attacked: ApiProcess
  let charge: string
  let baselineMb: number
  let lastAddress = 0
  const clients: Client[] = []

  before(async () => {
    api = await startTestApi()
    const { key } = await api.issueKey()
    for (let index = 0; index < 10; index += 1) await call(api, 'POST /v1/charges', { key, body: CHARGE })
    await api.owner`update charges set metadata = ${JSON.stringify({ a: 'x'.repeat(METADATA_BYTES) })}`
    attacked = await startApiProcess(api)
    charge = (await createCharge()).id
    // Warm up: compile the code and open the pools.
    await readList()
    await clientAt().send(`GET /pay/${charge}`)
    baselineMb = await attacked.measureMemory()
  })
  afterEach(() => clients.splice(0).forEach((client) => client.close()))
  after(async () => {
    await attacked?.stop()
    await api?.stop()
  })

  /** Returns an unused address, because a process remembers for a minute which addresses are over a limit. */
  const newAddress = (): string => `127.0.1.${(lastAddress += 1)}`
  const clientAt = (address = newAddress()): Client => {
    const client = createClientAt(address, attacked.baseUrl)
    clients.push(client)
    return client
  }
  const newAttacker = () => ({ baseUrl: attacked.baseUrl, from: newAddress() })

  async function createCharge(
    change: { key?: string; acceptedPayments?: object } = {},
  ): Promise<{ id: string }> {
    const { key = (await api.issueKey()).key, ...fields } = change
    const created = await clientAt().send('POST /v1/charges', { key, body: { ...CHARGE, ...fields } })
    expect(created.status, created.text).to.equal(201)
    return JSON.parse(created.text)
  }

  async function readList(): Promise<{ readonly bytes: number; readonly isWhole: boolean }> {
    const { key } = await api.issueKey()
    const { text, isWhole } = await clientAt().send('GET /v1/charges?limit=100', { key })
    return { bytes: text.length, isWhole }
  }

  async function expectRecovery(): Promise<void> {
    expect(attacked.isAlive()).to.equal(true)
    const isQuiet = async () => {
      const { unreadBytes, openStreams } = await attacked.readLevels()
      return unreadBytes === 0 && openStreams === 0
    }
    await waitFor(isQuiet, { what: 'no unread bytes and no streams', timeoutMs: 60_000 })
    const list = await readList()
    expect(list.isWhole && list.bytes > 880_000, `${list.bytes} bytes`).to.equal(true)
    const isSmall = async () => (await attacked.measureMemory()) < baselineMb + KEPT_MB
    await waitFor(isSmall, { what: 'memory to be freed', timeoutMs: 60_000, intervalMs: 1000 })
  }

  /**
   * Reads a page's state until the attack ends, at least 100 times. Returns the 99th percentile of the latencies in ms.
   * A latency is at most the processor time that the API used until the response, because a busy machine may pause it.
   */
  async function payBeside(attack: Promise<unknown>): Promise<number> {
    const payer = clientAt()
    const latencies: number[] = []
    const progress = { isOver: false }
    void attack.finally(() => {
      progress.isOver = true
    })
    for (let reads = 0; !progress.isOver || reads < 100; reads += 1) {
      const usedMs = attacked.readProcessorMs()
      const { status, tookMs } = await payer.send(`GET /pay/${charge}/state.json`)
      // After the first 100 reads, a payer who never pauses might exceed the rate limit. Rejections are fast, so they
      // are not measured.
      expect(reads < 100 ? [200] : [200, 429], `read ${reads}`).to.include(status)
      if (status === 200) latencies.push(Math.min(tookMs, attacked.readProcessorMs() - usedMs))
    }
    await attack
    latencies.sort((one, other) => one - other)
    return latencies[Math.ceil(latencies.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY
  }

  it('recovers from 2,000 pipelined requests for /docs whose client has disconnected', async () => {
    await pipeline(newAttacker(), { request: shortRequest('/docs'), count: 2000, holdMs: 500 })
    await expectRecovery()
  })

  it('closes pipelined streams whose client has disconnected', async () => {
    const request = shortRequest(`/pay/${charge}/events`)
    for (const count of [2, 17, 21]) await pipeline(newAttacker(), { request, count, holdMs: 500 })
    await expectRecovery()
  })

  it('serves 99 % of a payer’s reads within a second during 40,000 pipelined requests', async () => {
    const attack = { request: shortRequest('/'), count: 40_000, holdMs: 10_000 }
    expect(await payBeside(pipeline(newAttacker(), attack))).to.be.below(1000)
    await expectRecovery()
  })

  it('survives 50,000 pipelined requests from each of four addresses', async () => {
    const attack = { request: shortRequest('/'), count: 50_000, holdMs: 15_000 }
    await Promise.all([1, 2, 3, 4].map(() => pipeline(newAttacker(), attack)))
    await expectRecovery()
  })

  it('sends a merchant’s large list completely while 350 clients request /docs and read nothing', async () => {
    const attack = { request: shortRequest('/docs'), connections: 350 }
    const hangUp = await readNothing(newAttacker(), attack)
    for (let turn = 0; turn < 5; turn += 1) {
      const list = await readList()
      expect(list.isWhole && list.bytes > 880_000, `${list.bytes} bytes`).to.equal(true)
    }
    expect((await attacked.readLevels()).unreadBytes, 'shared bodies are not counted').to.equal(0)
    hangUp()
    await expectRecovery()
  })

  it('serves 99 % of a payer’s reads within a second during 2,000 new connections from one address', async () => {
    const attack = { request: shortRequest('/v1/networks'), connections: 2000, holdMs: 200 }
    expect(await payBeside(openMany(newAttacker(), attack))).to.be.below(1000)
    await expectRecovery()
  })

  it('returns the page’s state to the payer after two other addresses have used up the charge’s quota', async () => {
    const { id } = await createCharge()
    const read = `GET /pay/${id}/state.json`
    const strangers = [clientAt(), clientAt()]
    for (let count = 0; count < 200; count += 1) await Promise.all(strangers.map((one) => one.send(read)))
    expect((await strangers[0]?.send(read))?.status, 'the charge’s quota is used up').to.equal(429)
    const payer = clientAt()
    for (let count = 0; count < 10; count += 1) expect((await payer.send(read)).status).to.equal(200)
    expect((await payer.send(read)).status, 'the eleventh read is over the limit').to.equal(429)
  })

  it('opens a stream for the payer after another address has used up its share of the charge’s streams', async () => {
    const { id } = await createCharge()
    const request = shortRequest(`/pay/${id}/events`)
    const untilOpen = async (count: number) => {
      const isSo = async () => (await attacked.readLevels()).openStreams === count
      await waitFor(isSo, { what: `${count} streams`, timeoutMs: 10_000 })
    }
    const strangers = await readNothing(newAttacker(), { request, connections: 30 })
    await untilOpen(22)
    const payer = await readNothing(newAttacker(), { request, connections: 1 })
    await untilOpen(23)
    strangers()
    payer()
    await expectRecovery()
  })

  it('runs a merchant’s check after another visitor’s check, and the payer’s check after both', async () => {
    const { key } = await api.issueKey({ environment: 'test', organization: 'org_checks' })
    const { id } = await createCharge({ key, acceptedPayments: [{ token: 'USDC', network: 'base' }] })
    const check = `POST /pay/${id}/check`
    const [stranger, merchant] = [clientAt(), clientAt()]
    for (let count = 0; count < 3; count += 1) {
      expect((await stranger.send(check)).status, 'a check that comes too early is not an error').to.equal(
        200,
      )
    }
    expect((await merchant.send(`POST /v1/charges/${id}/check`, { key })).status).to.equal(200)
    expect((await clientAt().send(check)).status).to.equal(200)
    expect(
      (await merchant.send(`POST /v1/charges/${id}/check`, { key })).status,
      'a second check with the key is rejected',
    ).to.equal(429)
  })

  for (const requestLine of ['GET /docs', 'GET /nothing', 'POST /docs', `DELETE /pay/ch_none`]) {
    it(`limits ${requestLine} per address`, async () => {
      const stranger = clientAt()
      const statuses: number[] = []
      const limit = requestLine.includes('/pay/') ? 300 : 100
      for (let turn = 0; turn <= limit; turn += 1) statuses.push((await stranger.send(requestLine)).status)
      expect(statuses.slice(0, limit)).not.to.include(429)
      expect(statuses[limit]).to.equal(429)
      expect((await clientAt().send(requestLine)).status).not.to.equal(429)
    })
  }
})
