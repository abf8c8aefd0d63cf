import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Returns the result of a JSON-RPC call, or throws the error that the node reports. */
export type Respond = (method: string, params: readonly unknown[]) => unknown

/** Starts a node whose responses the test determines. */
export async function startRpcServer(
  respond: Respond,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, ...call } = JSON.parse(Buffer.concat(chunks).toString()) as Call
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer(respond, call) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

type Call = { readonly id: number; readonly method: string; readonly params?: readonly unknown[] }

function answer(respond: Respond, { method, params = [] }: Omit<Call, 'id'>) {
  try {
    return { result: respond(method, params) }
  } catch (error) {
    return { error: { code: -32_000, message: (error as Error).message } }
  }
}
