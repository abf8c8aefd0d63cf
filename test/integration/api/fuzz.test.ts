import { expect } from 'chai'
import { Pool } from 'undici'
import type { Route } from '../../../api/http/route.ts'
import { HTTP_STATUS } from '../../../shared/domain/errors.ts'
import { expectContract, findRoute } from '../../support/call-route.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { drawRequest, type FuzzRequest } from '../../support/fuzz/request.ts'
import { type FuzzWorld, startFuzzWorld } from '../../support/fuzz/world.ts'
import { createRandom } from '../../support/seeded-random.ts'

/** Each request has the seed `SEED` + its index, so that it can be repeated separately. */
const SEED = 20_261_135
const IS_LONG = Boolean(process.env['TEST_LONG']) // oxlint-disable-line no-process-env -- the duration is a setting of the run
const REQUESTS = IS_LONG ? 200_000 : 4_000

/** Requests in flight. */
const CONNECTIONS = 32

/** Twice the time that a request waits for a daemon. */
const ANSWER_TIMEOUT_MS = 20_000

/** Maximum time until any response, because all other requests wait while the process handles hostile text. */
const SLOW_MS = 2000

/** Number of requests after which all code is compiled and all caches are filled. */
const WARM_AT = REQUESTS / 10

/** Maximum factor by which the heap grows after `WARM_AT` requests. */
const HEAP_GROWTH = 1.2

/**
 * Node's limit for headers, and the API's default limit for bodies. The server may close the connection while a larger
 * request is sent.
 */
const MAX_HEADER_BYTES = 16 * 1024
const MAX_BODY_BYTES = 64 * 1024

/** Paths of endpoints that wait for the daemon. Here a loop rejects their requests in its place. */
const ASKS_DAEMON = /\/(check|trigger|release|refund)\/?(\?|$)/i

/** Error codes with status 503 that are expected: they depend on a chain, a provider or the number of streams. */
const SPECIFIED_503 = [
  'rpc_unavailable',
  'payment_temporarily_unavailable',
  'signature_payment_unavailable',
  'swap_unavailable',
  'swap_quote_failed',
  'sse_capacity',
]

/**
 * Endpoints that cannot succeed here: they need a funded escrow, a swap provider, a daemon that executes requests or
 * offers pairs for payments by signature, a refund, or the scope `refunds:write`, which no sender has.
 */
const UNSERVED = [
  ...['prepareEscrowRelease', 'orderEscrowRelease', 'prepareEscrowRefund', 'orderEscrowRefund'],
  ...['quoteCharge', 'triggerSandboxEvent', 'prepareAuthorization', 'submitAuthorization'],
  ...['createRefund', 'getRefund', 'cancelRefund', 'checkRefund'],
  ...['approveRefundClaim', 'rejectRefundClaim', 'createRefundClaimLink'],
]

describe(`${REQUESTS} random requests to all endpoints, seed ${SEED}`, function () {
  this.timeout(300_000 + REQUESTS * 30)

  let world: FuzzWorld
  let pool: Pool
  const problems: string[] = []
  let sound = 0
  const served = new Set<string>()
  const slow: string[] = []
  let warmHeapBytes = 0

  before(async () => {
    world = await startFuzzWorld()
    pool = new Pool(world.api.baseUrl, {
      connections: CONNECTIONS,
      pipelining: 1,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
    })
    let next = 0
    const work = async () => {
      while (next < REQUESTS && problems.length < 10) {
        if (next === WARM_AT) warmHeapBytes = heapBytes()
        await send(next++)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
  })

  after(async () => {
    await pool.destroy()
    await world.stop()
  })

  it('get valid responses without internal errors or data of other organizations', () => {
    expect(problems).to.deep.equal([])
    expect(world.api.errors.filter((line) => !line.includes('"service_unavailable"'))).to.deep.equal([])
  })

  // Requests that are rejected early test little.
  it('succeed in more than 20 % of all cases, and at every endpoint that can succeed here', () => {
    expect(sound / REQUESTS).to.be.greaterThan(0.2)
    const unserved = world.api.routes.filter(({ operationId }) => !served.has(operationId))
    expect(unserved.map(({ operationId }) => operationId)).to.have.members(UNSERVED)
  })

  // On a busy machine, a single slow response proves nothing, so these limits apply to long runs only.
  if (IS_LONG) {
    it('get each response within 2 s', () => expect(slow).to.deep.equal([]))

    it('increase the heap by less than 20 % after the first tenth', () => {
      expect(heapBytes()).to.be.below(warmHeapBytes * HEAP_GROWTH)
    })
  }

  async function send(index: number): Promise<void> {
    const random = createRandom(SEED + index)
    const sender = random.pick(world.senders)
    const request = drawRequest(random, world.api.routes, sender)
    const strangers = world.senders.filter((other) => other !== sender).map(({ marker }) => marker)
    try {
      const askedAtMs = performance.now()
      const answer = await exchange(request)
      const tookMs = performance.now() - askedAtMs
      if (tookMs > SLOW_MS) slow.push(`${Math.round(tookMs)} ms, request ${index}, ${show(request)}`)
      if (answer.status < 300) sound += 1
      const route = findRoute(world.api.routes, request)
      if (route !== undefined && answer.status === route.success.status) served.add(route.operationId)
      if (request.method === 'HEAD' && answer.status >= 500) await judgeByItsBody(request, answer.status)
      else judge(request, answer, route)
      const made = answer.status === 201 ? /"id":"(\w+)"/.exec(answer.text)?.[1] : undefined
      if (made !== undefined) sender.learn(request.path, made)
      expect(
        strangers.filter((marker) => answer.text.includes(marker)),
        'markers of a stranger',
      ).to.deep.equal([])
    } catch (error) {
      if (isCutOff(request, error)) return
      problems.push(
        `request ${index}, ${show(request)}: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  async function exchange(request: FuzzRequest) {
    const { statusCode, headers, body } = await pool.request({
      method: request.method as 'GET',
      path: request.path,
      headers: request.headers,
      body: request.body,
    })
    const type = String(headers['content-type'] ?? '')
    // Node's parser writes its rejections directly to the socket, without a date.
    const isParsed = headers['date'] !== undefined
    if (!type.startsWith('text/event-stream'))
      return { status: statusCode, type, isParsed, text: await body.text() }
    // Read only the first event, because a stream does not end.
    const first = await Promise.race([body[Symbol.asyncIterator]().next(), after20Ms()])
    body.on('error', () => {}).destroy()
    return { status: statusCode, type, isParsed, text: String(first?.value ?? '') }
  }

  /** Repeats a failed HEAD request with GET, whose response has a body with the error. */
  async function judgeByItsBody(head: FuzzRequest, status: number): Promise<void> {
    const request = { ...head, method: 'GET' }
    const answer = await exchange(request)
    expect(answer.status, 'to GET').to.equal(status)
    judge(request, answer, findRoute(world.api.routes, request))
  }

  function judge(
    request: FuzzRequest,
    answer: Awaited<ReturnType<typeof exchange>>,
    route: Route | undefined,
  ): void {
    const { status, type, text } = answer
    // A request whose headers are too large for Node's parser never reaches the app.
    if (!answer.isParsed && request.method !== 'HEAD')
      return void expect(text).to.match(/^\{"error":\{"code":"validation_error",/)
    // A stream is not JSON, and responses to HEAD and with status 304 have no body.
    if (type.startsWith('text/event-stream') || request.method === 'HEAD' || status === 304)
      return void expect(status).to.be.below(500)
    if (status < 300 && !type.startsWith('application/json') && text !== '') return
    // The root is not an endpoint: it only links to the documentation.
    if (route === undefined && status === 200 && /^\/(\?|$)/.test(request.path)) return
    const body = text === '' ? null : (JSON.parse(text) as { error?: { code?: string } } | null)
    expectContract(route, { status, body })
    if (status < 400) return
    const code = body?.error?.code ?? ''
    expect((HTTP_STATUS as Record<string, number>)[code], code).to.equal(status)
    if (status < 500) return
    const isDaemonAway = code === 'service_unavailable' && ASKS_DAEMON.test(request.path)
    expect(isDaemonAway || SPECIFIED_503.includes(code), `${status} ${text}`).to.equal(true)
  }
})

/** Returns the live heap bytes of this process, which runs both the API and the test. */
function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

async function after20Ms(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), 20))
}

/** Whether the server may have closed the connection before it had read the whole request. */
function isCutOff(request: FuzzRequest, error: unknown): boolean {
  const headerBytes = JSON.stringify(request.headers).length + request.path.length
  const isLarge = headerBytes > MAX_HEADER_BYTES || (request.body?.length ?? 0) > MAX_BODY_BYTES
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return isLarge && /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code)
}

function show({ method, path, headers, body }: FuzzRequest): string {
  const text = body === null ? '' : body.toString().slice(0, 600)
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 200)} ${text}`
}
