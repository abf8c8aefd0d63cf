import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { EIP1193RequestFn } from 'viem'
import { type ChainNode, createChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import { createFallbackTransport } from '../../../shared/chain/nodes/fallback-transport.ts'
import { nodeTransport } from '../../../shared/chain/nodes/node-transport.ts'
import { queryQuorum, queryResponsive } from '../../../shared/chain/nodes/query-nodes.ts'
import { createNodePacers } from '../../../shared/chain/pacing/node-pacers.ts'
import { isUnsent } from '../../../shared/chain/pacing/throttle.ts'
import { createTronNode } from '../../../shared/chain/tron/tron-node.ts'
import { configureNodes } from '../../../shared/domain/node-config.ts'
import { createVirtualTimers, type VirtualTimers } from '../../support/virtual-timers.ts'

const CHAIN_ID = 728126428
const ID = '0x2b6653dc'
const BLOCK_ZERO = `${'00'.repeat(28)}2b6653dc`
const PAUSE_MS = 400
/** Far longer than a request takes on a busy machine. */
const TIMEOUT_MS = 60_000

type Refusal = (response: ServerResponse) => void

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Refusal => {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

/** Retry-After dates have whole seconds, so the pause is one second by the node's clock. */
const dated = (response: ServerResponse) => {
  const sentAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000)
  const retryAt = new Date(sentAt.getTime() + 1_000)
  const headers = { Date: sentAt.toUTCString(), 'Retry-After': retryAt.toUTCString() }
  response.writeHead(429, headers).end('slow down')
}

const limited = { jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'limit exceeded' } }
const seconds = { 'Retry-After': String(PAUSE_MS / 1_000) }

/** The responses of nodes that receive too many requests, each with the pause that must follow. */
const REFUSALS: Readonly<Record<string, { readonly refuse: Refusal; readonly pauseMs: number }>> = {
  'a 429 with seconds': { refuse: json(429, {}, seconds), pauseMs: PAUSE_MS },
  'a 429 with a date by a clock that is an hour behind': { refuse: dated, pauseMs: 1_000 },
  'a 429 with a JSON-RPC error that has a different code': {
    refuse: json(429, { ...limited, error: { code: -32000, message: 'slow down' } }, seconds),
    pauseMs: PAUSE_MS,
  },
  'a 503 with seconds': { refuse: json(503, 'busy', seconds), pauseMs: PAUSE_MS },
  "TronGrid's 403": {
    refuse: json(403, {
      Error: 'The key exceeds the frequency limit(15), and the query server is suspended for 1s',
    }),
    pauseMs: 1_000,
  },
  'JSON-RPC error -32005': { refuse: json(200, limited), pauseMs: 1_000 },
  "java-tron's text with status 200": {
    refuse: json(200, { Error: 'class java.lang.IllegalAccessException : lack of computing resources' }),
    pauseMs: 1_000,
  },
}

describe('a node that demands fewer requests', () => {
  let server: Server
  let url: string
  let heardAtMs: number[]
  let refuse: Refusal | null

  before(async () => {
    server = createServer((request, response) => {
      request.resume()
      request.on('end', () => {
        heardAtMs.push(performance.now())
        if (refuse !== null) return refuse(response)
        const isRpc = request.url === '/jsonrpc'
        json(200, isRpc ? { jsonrpc: '2.0', id: 1, result: ID } : { blockID: BLOCK_ZERO })(response)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jsonrpc`
  })
  beforeEach(() => {
    heardAtMs = []
    refuse = null
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  function connect({ limits = {}, timers }: { limits?: object; timers?: VirtualTimers } = {}) {
    const nodes = configureNodes([{ url, ...limits }])
    const { pacerOf, nodes: paced } = createNodePacers([{ chainId: CHAIN_ID, nodes }], {
      share: 1,
      ...(timers && { timers }),
    })
    const pacing = { pacer: pacerOf(url), priority: 'payment' as const }
    const transport = nodeTransport({ url, chainId: CHAIN_ID, timeoutMs: TIMEOUT_MS, pacing })
    return {
      rpc: () => (transport({}).request as EIP1193RequestFn)({ method: 'eth_blockNumber' }),
      tron: createTronNode({ url, chainId: CHAIN_ID, timeoutMs: TIMEOUT_MS, pacing }),
      chain: createChainNodes({ chainId: CHAIN_ID, nodes, quorum: 1, pacerOf }),
      countWaiting: () => paced[0]?.pacer.getUsage().waiting,
    }
  }

  /** Expects that the next request waits for exactly this time, by the clock of the pacer. */
  async function expectPause(
    { rpc, countWaiting }: ReturnType<typeof connect>,
    { timers, pauseMs }: { readonly timers: VirtualTimers; readonly pauseMs: number },
  ): Promise<void> {
    refuse = null
    heardAtMs = []
    const next = rpc()
    await nextTurn()
    await timers.advance(pauseMs - 1)
    expect(countWaiting(), 'during the pause').to.equal(1)
    expect(heardAtMs).to.deep.equal([])
    await timers.advance(1)
    expect(countWaiting(), 'right after the pause').to.equal(0)
    await next
  }

  const failure = async (asked: Promise<unknown>) => asked.then(() => null).catch((error: unknown) => error)

  for (const [name, { refuse: answer, pauseMs }] of Object.entries(REFUSALS)) {
    it(`does not receive a request during the pause after ${name}, and receives the next request right after the pause`, async () => {
      const timers = createVirtualTimers()
      const node = connect({ timers })
      await node.rpc()
      refuse = answer
      expect(await failure(node.rpc())).to.be.instanceOf(Error)
      await expectPause(node, { timers, pauseMs })
    })
  }

  it('does not receive a JSON-RPC request during a pause of its TRON API, because both APIs share one budget', async () => {
    const timers = createVirtualTimers()
    const node = connect({ timers })
    await node.rpc()
    refuse = json(429, {}, seconds)
    expect(await failure(node.tron.ask('wallet/getnodeinfo', {}))).to.be.instanceOf(Error)
    await expectPause(node, { timers, pauseMs: PAUSE_MS })
  })

  it('does not receive a request whose deadline is before the end of a long pause; the request fails immediately', async () => {
    const { rpc } = connect()
    await rpc()
    refuse = json(429, {}, { 'Retry-After': '3600' })
    await failure(rpc())
    heardAtMs = []
    expect(isUnsent(await failure(rpc()))).to.equal(true)
    expect(heardAtMs).to.deep.equal([])
  })

  it('counts as silent, not as failed', async () => {
    const { chain } = connect()
    refuse = json(429, {}, { 'Retry-After': '3600' })
    const read = ({ client }: ChainNode) => client.getBlockNumber({ cacheTime: 0 })
    for (const attempt of ['throttled', 'not sent']) {
      const { reports, silent } = await queryResponsive(chain, read)
      expect([reports.length, silent.length], attempt).to.deep.equal([0, 1])
      expect(chain.nodes.map(chain.health.hasFailed), attempt).to.deep.equal([false])
    }
    const verdict = await queryQuorum(chain, { read, toText: String })
    expect(verdict.outcome).to.equal('waiting')
  })

  it('never receives more requests per second than its limit, even if many are made simultaneously', async () => {
    const { rpc, tron } = connect({ limits: { requestsPerSecond: 8 } })
    await Promise.all([
      ...Array.from({ length: 14 }, rpc),
      ...Array.from({ length: 4 }, () => tron.ask('wallet/getnodeinfo', {})),
    ])
    const busiest = Math.max(
      ...heardAtMs.map((from) => heardAtMs.filter((at) => at >= from && at < from + 1_000).length),
    )
    expect(busiest).to.be.at.most(8)
    // 18 requests, and one request for the chain id per API.
    expect(heardAtMs).to.have.lengthOf(20)
  })

  it('is skipped if another node can receive the request without delay', async () => {
    const asked: string[] = []
    const transport = (name: string) => () =>
      ({ request: async () => asked.push(name), config: {}, value: {} }) as never
    const delays = [700, 0]
    const { request } = createFallbackTransport([transport('full'), transport('free')], {
      rounds: 1,
      getDelayMs: (index) => delays[index] ?? 0,
    })({})
    await request({ method: 'eth_blockNumber' })
    expect(asked).to.deep.equal(['free'])
  })
})
