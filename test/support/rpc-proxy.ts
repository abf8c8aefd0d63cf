import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the proxy handles a call. */
export type RpcFate =
  | 'pass'
  /** Responds with HTTP 500. */
  | 'error'
  /** Never responds. */
  | 'hang'
  /** Sends only the start of a response. */
  | 'stall'
  /** Passes the call on, and responds with HTTP 502. */
  | 'lose-answer'
  /** Responds with a forged result or error. */
  | { readonly result: unknown }
  | { readonly error: unknown }
  /** Passes the call on with other parameters. */
  | { readonly params: readonly unknown[] }

/** Decides how the proxy handles a call. */
export type RpcRule = (method: string, params: readonly unknown[]) => RpcFate | Promise<RpcFate>

/** A node's HTTP endpoint that misbehaves on demand. */
export type RpcProxy = {
  readonly url: string
  /** Sets the rule for every later call. */
  readonly rule: (fateOf: RpcRule) => void
  readonly stop: () => Promise<void>
}

/**
 * Starts a proxy in front of a node. At first it passes every call on.
 *
 * @param path - prefix of the paths that the proxy serves; a test that counts requests needs a prefix, because an
 *   earlier test might still poll a node that used the same port
 */
export async function startRpcProxy(targetUrl: string, path = ''): Promise<RpcProxy> {
  let fateOf: RpcRule = () => 'pass'
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(path)) {
      response.writeHead(404).end()
      return
    }
    const exchange = { request, response, targetUrl, fateOf: ((...call) => fateOf(...call)) as RpcRule }
    handle(exchange).catch(() => response.writeHead(502).end('the node has stopped'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    rule: (next) => {
      fateOf = next
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly targetUrl: string
  readonly fateOf: RpcRule
}

type RpcCall = { readonly id: number; readonly method: string; readonly params?: readonly unknown[] }

async function handle({ request, response, targetUrl, fateOf }: Exchange): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const call = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall
  const headers = { 'content-type': 'application/json' }
  const fate = await fateOf(call.method, call.params ?? [])
  if (fate === 'hang') return
  if (fate === 'stall') {
    response.writeHead(200, headers).write('{"jsonrpc":')
    return
  }
  if (fate === 'error') {
    response.writeHead(500).end('the node is out of order')
    return
  }
  if (typeof fate === 'object' && !('params' in fate)) {
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...fate }))
    return
  }
  const body = JSON.stringify(typeof fate === 'object' ? { ...call, ...fate } : call)
  const answer = await fetch(targetUrl, { method: 'POST', headers, body })
  const text = await answer.text()
  if (fate === 'lose-answer') response.writeHead(502).end('the response was lost')
  else response.writeHead(answer.status, headers).end(text)
}
