import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import { RpcError } from '../evm-node/rpc-error.ts'
import { CONTROL_METHODS } from './control.ts'
import { EXTRA_READ_METHODS } from './extra-read-methods.ts'
import { JSONRPC_METHODS } from './jsonrpc.ts'
import type { TronBlock } from './tron-block.ts'
import type { TronChain } from './tron-chain.ts'
import { READ_METHODS, WRITE_METHODS } from './wallet.ts'

type Call = { readonly id?: unknown; readonly method?: string; readonly params?: readonly unknown[] }

const MAX_BATCH = 100

/** Body of an overloaded node's response, with status 200 and without a JSON-RPC envelope at any path. */
const REFUSAL = { Error: 'class java.lang.IllegalAccessException : lack of computing resources' }

/**
 * Serves a chain at `/jsonrpc`, `/wallet/…` and `/walletsolidity/…`, with the node's faults and quirks.
 *
 * @param options.isControlled - whether to serve `/control/…` too, which works even while the node rejects requests as
 * overloaded
 */
export function serveTron(chain: TronChain, { isControlled = false } = {}): Server {
  let count = 0
  return createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // As in java-tron, errors have status 200.
      const message = error instanceof Error ? error.message : String(error)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ Error: message }))
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://node')
    // All read methods also support GET.
    const asked = body === '' ? Object.fromEntries(searchParams) : JSON.parse(body)
    const result = await answerBody(pathname, asked)
    if (result === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
  }

  async function answerBody(path: string, body: unknown): Promise<unknown> {
    const [, area, name = ''] = path.split('/')
    if (isControlled && area === 'control')
      return CONTROL_METHODS[name]?.(chain, body as Record<string, unknown>)
    return isRefused() ? REFUSAL : answerAt(path, body)
  }

  /**
   * Counts a request, and returns whether to reject it. Of every hundred requests, exactly `refusedPercent` are
   * rejected, so that tests are deterministic.
   */
  function isRefused(): boolean {
    count += 1
    return (count * 37) % 100 < chain.habits.refusedPercent
  }

  async function answerAt(path: string, body: unknown): Promise<unknown> {
    if (path === '/jsonrpc')
      return Array.isArray(body) ? answerBatch(body as Call[]) : answerOne(body as Call)
    const [, api = '', name = ''] = path.split('/')
    const isSolid = api === 'walletsolidity'
    const method =
      READ_METHODS[name] ?? EXTRA_READ_METHODS[name] ?? (isSolid ? undefined : WRITE_METHODS[name])
    if (method === undefined || (!isSolid && api !== 'wallet')) return undefined
    const seen = isSolid ? solidOf(chain) : chain.head()
    return method({ chain, seen, body: body as Record<string, unknown> })
  }

  async function answerBatch(calls: readonly Call[]): Promise<unknown> {
    if (calls.length <= MAX_BATCH) return Promise.all(calls.map(answerOne))
    return errorOf(null, new RpcError({ code: -32005, message: `exceed max batch size: ${MAX_BATCH}` }))
  }

  async function answerOne({ id = null, method = '', params = [] }: Call): Promise<object> {
    try {
      const run = JSONRPC_METHODS[method]
      if (run === undefined)
        throw new RpcError({ code: -32601, message: `the method ${method} does not exist/is not available` })
      return { jsonrpc: '2.0', id, result: await run(chain, params) }
    } catch (error) {
      return errorOf(id, error)
    }
  }
}

function solidOf(chain: TronChain): TronBlock {
  const solid = chain.solid()
  return chain.blocks()[Math.max(0, solid.number - chain.habits.solidLagBlocks)] ?? solid
}

/** Builds an error response. If the error has no data, `data` is the string `{}`, not an empty object. */
function errorOf(id: unknown, error: unknown): object {
  const known = error instanceof RpcError ? error : null
  const message = error instanceof Error ? error.message : String(error)
  return { jsonrpc: '2.0', id, error: { code: known?.code ?? -32603, message, data: known?.data ?? '{}' } }
}
