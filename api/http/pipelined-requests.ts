import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Handles one request that a server received. */
export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** Maximum waiting requests per connection. Neither browsers nor our clients pipeline requests. */
const MAX_WAITING = 16

/**
 * Creates a handler that runs one request at a time per connection, in the order of arrival.
 *
 * Node starts every pipelined request immediately: 44,000 bytes on one connection started 2,000 requests and held 460
 * MB. Node attaches only the first response to the socket, so the others never emit `close` if the socket closes first.
 * With this handler, each response is attached before its request starts, so that it always emits `close`.
 *
 * Destroys a connection on which more than `MAX_WAITING` requests wait. Starts no request of a destroyed connection.
 */
export function handleInTurn(handle: HandleRequest): HandleRequest {
  const queues = new WeakMap<Socket, Exchange[]>()

  function start({ request, response }: Exchange): void {
    const { socket } = request
    response.once('close', () => startNext(socket))
    handle(request, response)
  }

  function startNext(socket: Socket): void {
    const next = socket.writable ? queues.get(socket)?.shift() : undefined
    if (next === undefined) queues.delete(socket)
    else start(next)
  }

  return (request, response) => {
    const { socket } = request
    if (!socket.writable) return
    const waiting = queues.get(socket)
    if (waiting === undefined) {
      queues.set(socket, [])
      start({ request, response })
    } else if (waiting.length < MAX_WAITING) waiting.push({ request, response })
    else socket.destroy()
  }
}
