import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export type ClientResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Whether the whole body arrived. */
  readonly isWhole: boolean
  readonly tookMs: number
}

/** A client with its own address. Like a browser, it keeps up to 6 connections open. */
export type Client = {
  /** @param requestLine - for example `GET /v1/health` */
  readonly send: (requestLine: string, options?: SendOptions) => Promise<ClientResponse>
  readonly close: () => void
}

type SendOptions = { readonly key?: string; readonly body?: object; readonly timeoutMs?: number }

/** Creates a client at an address of the loopback network, such as `127.0.0.7`. */
export function createClientAt(localAddress: string, baseUrl: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 6 })
  const { hostname, port } = new URL(baseUrl)
  const send = (
    requestLine: string,
    { key, body, timeoutMs = 60_000 }: SendOptions = {},
  ): Promise<ClientResponse> => {
    const [method = 'GET', path = '/'] = requestLine.split(' ')
    const text = body === undefined ? null : JSON.stringify(body)
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(text !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    }
    return new Promise((resolve, reject) => {
      const startedAtMs = performance.now()
      const signal = AbortSignal.timeout(timeoutMs)
      const sent = request({ hostname, port, method, path, localAddress, agent, headers, signal })
      sent.on('error', reject)
      sent.on('response', (response) => {
        let received = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          received += chunk
        })
        response.on('error', () => undefined)
        response.on('close', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: received,
            isWhole: response.complete,
            tookMs: performance.now() - startedAtMs,
          }),
        )
      })
      sent.end(text ?? undefined)
    })
  }
  return { send, close: () => agent.destroy() }
}
