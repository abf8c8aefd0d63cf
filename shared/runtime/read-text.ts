/**
 * Reads the body of a response as UTF-8.
 *
 * @throws {Error} if the body exceeds `maxBytes`; the rest is not fetched
 */
export async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // Leaving the loop cancels the rest of the response.
    if (bytes > maxBytes) throw new Error(`response above ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
