import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import type { Chain } from './chain.ts'
import { METHODS, type Method } from './methods.ts'
import { RpcError } from './rpc-error.ts'

type Call = { readonly id?: unknown; readonly method?: string; readonly params?: readonly unknown[] }

/** Maximum requests per batch, as on Arc's nodes. */
const MAX_BATCH = 100

/**
 * Serves the JSON-RPC API of a chain over HTTP, at every path.
 *
 * @param methods - methods to add to `METHODS`, or to replace those of the same name
 */
export function serveChain(chain: Chain, methods: Readonly<Record<string, Method>> = {}): Server {
  const table = { ...METHODS, ...methods }
  return createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as Call | readonly Call[]
    const result = isBatch(body) ? await answerBatch(body) : await answerOne(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
  }

  async function answerBatch(calls: readonly Call[]): Promise<unknown> {
    if (calls.length > MAX_BATCH)
      return {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: `batch too large: ${calls.length}, at most ${MAX_BATCH}` },
      }
    return Promise.all(calls.map(answerOne))
  }

  async function answerOne({ id = null, method = '', params = [] }: Call): Promise<object> {
    try {
      const run = table[method]
      if (run === undefined)
        throw new RpcError({ code: -32601, message: `the method ${method} does not exist` })
      return { jsonrpc: '2.0', id, result: await run(chain, params) }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: describe(error) }
    }
  }
}

function isBatch(body: Call | readonly Call[]): body is readonly Call[] {
  return Array.isArray(body)
}

function describe(error: unknown): object {
  if (error instanceof RpcError)
    return { code: error.code, message: error.message, ...(error.data !== undefined && { data: error.data }) }
  return { code: -32603, message: error instanceof Error ? error.message : String(error) }
}
