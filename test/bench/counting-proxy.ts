import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ChainPlan } from '../devnet/networks.ts'

/** Called for each request with its connection and its JSON-RPC method, or its path if the body has no method. */
export type NoteRequest = (request: { readonly method: string; readonly socket: Socket }) => void

/** A proxy in front of a node, which reports each request to a `NoteRequest`. */
export type Door = { readonly url: string; readonly stop: () => Promise<void> }

export function countByMethod(counts: Map<string, number>): NoteRequest {
  return ({ method }) => counts.set(method, (counts.get(method) ?? 0) + 1)
}

/** Starts a proxy that forwards every path to the node's origin. The returned URL has the path of `rpcUrl`. */
export async function openDoor(rpcUrl: string, note: NoteRequest): Promise<Door> {
  const { origin, pathname } = new URL(rpcUrl)
  const server = createServer((request, response) => {
    const pass = async () => {
      const [body, path] = [await text(request), request.url ?? '/']
      note({ method: readMethod(body) ?? path, socket: request.socket })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body })
      response.writeHead(answer.status, headers).end(await answer.text())
    }
    pass().catch(() => response.writeHead(502).end('the node has stopped'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${pathname === '/' ? '' : pathname}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function readMethod(body: string): string | undefined {
  return (JSON.parse(body === '' ? '{}' : body) as { readonly method?: string }).method
}

/**
 * Returns a plan that starts the same chain with a proxy in front of its node. After the start, the plan calls `told`
 * with the node's URL and adds the proxy to `doors`.
 */
export function behindDoor(
  plan: ChainPlan,
  note: NoteRequest,
  opened: { readonly doors: Door[]; readonly told?: (rpcUrl: string) => void },
): ChainPlan {
  const { start } = plan
  if (start === undefined) throw new Error('the chain has no function that starts it')
  return {
    ...plan,
    start: async (options) => {
      const started = await start(options)
      opened.told?.(started.anvil.rpcUrl)
      const door = await openDoor(started.anvil.rpcUrl, note)
      opened.doors.push(door)
      return { ...started, anvil: { ...started.anvil, rpcUrl: door.url } }
    },
  }
}
