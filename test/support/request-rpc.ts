/** Sends a JSON-RPC request to a node. If the node returns an error, throws an error with the same code. */
export async function requestRpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as {
    readonly result?: unknown
    readonly error?: { readonly code: number; readonly message: string }
  }
  if (error) throw Object.assign(new Error(error.message), { code: error.code })
  return result
}
