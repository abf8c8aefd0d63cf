import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { createFilterTransport } from '../../../indexer/transport/filter-transport.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { createTronNode } from '../../../shared/chain/tron/tron-node.ts'
import { formatNode } from '../../../shared/domain/node-endpoint.ts'

const CHAIN_ID = 728126428
const KEY = 'hunter2'
const BLOCK_ZERO = `${'00'.repeat(28)}2b6653dc`
const ANSWERS: Readonly<Record<string, object>> = {
  '/jsonrpc': { jsonrpc: '2.0', id: 1, result: '0x2b6653dc' },
  '/wallet/getblockbynum': { blockID: BLOCK_ZERO },
}

type Heard = { readonly path: string; readonly headers: IncomingHttpHeaders }

describe('a node that requires a key in a header', () => {
  let node: Server
  let other: Server
  let heard: Heard[]
  let heardByOther: Heard[]
  let answer: (response: ServerResponse, path: string) => void

  before(async () => {
    node = await listen((path, headers, response) => {
      heard.push({ path, headers })
      answer(response, path)
    })
    other = await listen((path, headers, response) => {
      heardByOther.push({ path, headers })
      response.end(JSON.stringify(ANSWERS[path] ?? {}))
    })
  })
  beforeEach(() => {
    ;[heard, heardByOther] = [[], []]
    answer = (response, path) => response.end(JSON.stringify(ANSWERS[path] ?? { result: true }))
  })
  after(() => {
    for (const server of [node, other]) {
      server.close()
      server.closeAllConnections()
    }
  })

  const textOf = (server: Server) =>
    formatNode({ url: `${urlOf(server)}/jsonrpc`, headers: { 'TRON-PRO-API-KEY': KEY } })

  /** Every part of the service that queries nodes, including the feed's process. */
  const ASKERS: Readonly<Record<string, () => Promise<unknown>>> = {
    'our clients': () => createChainClient({ chainId: CHAIN_ID, rpcUrls: [textOf(node)] }).getChainId(),
    'the feed': () =>
      createFilterTransport({
        ...{ chainId: CHAIN_ID, family: 'tron', rpcUrls: [textOf(node)], emitters: [] },
        databaseUrl: 'postgres://127.0.0.1:9/none',
      })({ retryCount: 0 }).request({ method: 'eth_chainId' }),
    'the sender, at /wallet': () => tronNode().ask('wallet/getnodeinfo', {}),
    'the sender, at /walletsolidity': () => tronNode().ask('walletsolidity/getnowblock', {}),
  }
  const tronNode = () => createTronNode({ url: textOf(node), chainId: CHAIN_ID, timeoutMs: 60_000 })

  for (const [who, ask] of Object.entries(ASKERS)) {
    it(`receives the header with every request of ${who}`, async () => {
      await ask()
      expect(heard).to.not.deep.equal([])
      for (const { path, headers } of heard) {
        expect(headers['tron-pro-api-key'], path).to.equal(KEY)
        expect(path).to.not.include('headers')
      }
    })

    it(`is the only host that receives the header, even if it redirects ${who}`, async () => {
      answer = (response, path) => response.writeHead(307, { location: `${urlOf(other)}${path}` }).end()
      expect(await failureOf(ask)).to.not.include(KEY)
      expect(heardByOther).to.deep.equal([])
    })

    it(`causes errors in ${who} that do not contain the key, even if its response repeats the key`, async () => {
      for (const status of [200, 403]) {
        answer = (response) => {
          const text = `Invalid API key: ${KEY}`
          const said = { error: { code: -32_000, message: text, data: text }, Error: text }
          response.writeHead(status).end(JSON.stringify(said))
        }
        expect(await failureOf(ask)).to.not.include(KEY)
        for (const text of [KEY, JSON.stringify(KEY), JSON.stringify({ result: { text: KEY } })]) {
          answer = (response) => response.writeHead(status).end(text)
          expect(await failureOf(ask), text).to.not.include(KEY)
        }
      }
    })
  }

  it('does not receive the header from clients without a key', async () => {
    await createChainClient({ chainId: CHAIN_ID, rpcUrls: [`${urlOf(node)}/jsonrpc`] }).getChainId()
    expect(heard.map(({ headers }) => headers['tron-pro-api-key'])).to.deep.equal([undefined, undefined])
  })
})

/** Returns every text that code could print from the error. */
async function failureOf(ask: () => Promise<unknown>): Promise<string> {
  try {
    await ask()
  } catch (error) {
    return inspect(error, { depth: 20, showHidden: true })
  }
  throw new Error('the request did not fail')
}

async function listen(
  hear: (path: string, headers: IncomingHttpHeaders, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    hear(request.url ?? '/', request.headers, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return server
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
