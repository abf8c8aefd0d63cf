import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** A request as a client sends it. The names of headers are in lower case. */
export type HttpRequest = {
  readonly method: 'GET' | 'POST'
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Handles requests like the callback of a Koa app. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** IP address of every client, from a range that is reserved for documentation (RFC 5737). */
const CLIENT_ADDRESS = '192.0.2.7'

/**
 * Passes a request to a handler of Node's HTTP server without a connection. Node's own request and response are used,
 * so the handler cannot tell the difference, but no step takes real time.
 *
 * @returns the response that the handler has written; never settles if the handler never completes it
 * @throws {Error} if the handler closes the connection before it has completed the response
 */
export function handleRequest(handle: Handle, sent: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const written: Buffer[] = []
    const socket = createSocket(written)
    const response = new ServerResponse(createMessage(socket, sent))
    response.assignSocket(socket)
    response.once('finish', () => resolve(parseResponse(Buffer.concat(written))))
    response.once('close', () => reject(new Error('the response was cut off')))
    void handle(response.req, response)
  })
}

/** Creates a socket that appends the written bytes to `written`, and never delivers data. */
function createSocket(written: Buffer[]): Socket {
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => {
      written.push(chunk)
      done()
    },
  })
  return Object.assign(socket, { remoteAddress: CLIENT_ADDRESS }) as unknown as Socket
}

function createMessage(socket: Socket, { method, path, headers, body }: HttpRequest): IncomingMessage {
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const message = Object.assign(new IncomingMessage(socket), {
    ...{ method, url: path, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1, complete: true },
    headers: { host: 'api.example', ...headers, ...length },
  })
  if (body !== null) message.push(body)
  message.push(null)
  return message
}

function parseResponse(bytes: Buffer): HttpResponse {
  const end = bytes.indexOf('\r\n\r\n')
  const [line = '', ...fields] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 2),
    ]),
  )
  if (headers['transfer-encoding'] !== undefined)
    throw new Error('cannot parse a response with a transfer-encoding header')
  return { status: Number(line.split(' ')[1]), headers, body: bytes.subarray(end + 4).toString('utf8') }
}
