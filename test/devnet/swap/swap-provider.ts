import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

import { BEHAVIOURS, type Behaviour, HONEST, type Reply } from './behaviours.ts'
import { buildQuote, readAsk } from './make-quote.ts'
import type { SwapMarket } from './market.ts'

/** A swap provider that imitates 0x's Swap API v2. */
export type SwapProviderServer = {
  readonly url: string
  /** The queries of the quote requests whose headers were accepted. */
  readonly asked: readonly URLSearchParams[]
  /** Sets the behaviour for later requests. */
  readonly behave: (behaviour: Behaviour) => void
  /** Sets the chains that the provider reports as supported. With `null`, requests for this list return status 500. */
  readonly listChains: (chainIds: readonly number[] | null) => void
  readonly stop: () => Promise<void>
}

/**
 * Starts a provider on loopback, which is honest at first. `PUT /behaviour`, with a name from `BEHAVIOURS` as its body,
 * changes the behaviour.
 */
export async function startSwapProvider(markets: readonly SwapMarket[]): Promise<SwapProviderServer> {
  const asked: URLSearchParams[] = []
  const sockets = new Set<Socket>()
  let behave = HONEST
  let chainIds: readonly number[] | null = markets.map(({ chainId }) => chainId)

  async function answer(request: IncomingMessage): Promise<Reply> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider')
    if (request.method === 'PUT' && pathname === '/behaviour') return changeBehaviour(request)
    const refusal = refuseHeaders(request)
    if (refusal !== null) return refusal
    if (pathname === '/swap/chains') {
      return chainIds === null
        ? failure(500, 'INTERNAL_SERVER_ERROR')
        : ok({ chains: chainIds.map(describe) })
    }
    if (pathname !== '/swap/permit2/quote') return failure(404, 'NOT_FOUND')
    asked.push(searchParams)
    const ask = readAsk(markets, searchParams)
    return typeof ask === 'string' ? failure(400, ask) : behave(buildQuote(ask))
  }

  async function changeBehaviour(request: IncomingMessage): Promise<Reply> {
    let name = ''
    for await (const chunk of request) name += String(chunk).slice(0, 100)
    const wanted = BEHAVIOURS[name.trim()]
    if (wanted === undefined) return failure(400, `one of ${Object.keys(BEHAVIOURS).join(', ')}`)
    behave = wanted
    return ok({ behaviour: name.trim() })
  }

  const server = createServer((request, response) => {
    void answer(request).then((reply) => write(response, reply))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    behave: (behaviour) => {
      behave = behaviour
    },
    listChains: (wanted) => {
      chainIds = wanted
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function refuseHeaders({ headers }: IncomingMessage): Reply | null {
  if (!headers['0x-api-key']) return failure(401, 'UNAUTHORIZED')
  return headers['0x-version'] === 'v2' ? null : failure(400, 'INPUT_INVALID')
}

function write(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return
  if (reply === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9999' })
    response.write('{"mode":"exact-out",', () => response.destroy())
    return
  }
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
  response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
}

function ok(body: unknown): Reply {
  return { status: 200, body }
}

function failure(status: number, name: string): Reply {
  return {
    status,
    body: { name, message: 'a message from the provider', data: { zid: '0x000000000000000000000000' } },
  }
}

function describe(chainId: number) {
  return { chainId, chainName: `chain ${chainId}` }
}
