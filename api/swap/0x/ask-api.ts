import type { SwapConfig } from '../../../shared/runtime/swap-config.ts'

/** What 0x answered: its JSON, or why there is none. */
export type ApiAnswer =
  | { readonly ok: true; readonly id: string | null; readonly body: unknown }
  | { readonly ok: false; readonly id: string | null; readonly reason: string; readonly isOutage: boolean }

/** A quote has some 10 kB. */
const MAX_BYTES = 512 * 1024

/** The names of its errors that are shown in our log; whatever else it writes is not. */
const ERROR_NAMES = new Set([
  'INPUT_INVALID',
  'RECIPIENT_NOT_SUPPORTED',
  'SWAP_VALIDATION_FAILED',
  'TOKEN_NOT_SUPPORTED',
  'SMART_WALLET_NOT_SUPPORTED',
  'TAKER_NOT_AUTHORIZED_FOR_TRADE',
  'RECIPIENT_NOT_AUTHORIZED_FOR_TRADE',
  'BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE',
  'SELL_TOKEN_NOT_AUTHORIZED_FOR_TRADE',
  'INTERNAL_SERVER_ERROR',
  'UNCATEGORIZED',
])

/**
 * Asks 0x's API once; never throws, and ends with `signal`.
 *
 * Of what it writes only its own id of the answer and the known names of its errors go further: the rest could carry
 * anything, our key among it.
 *
 * @param path - below the base URL, its query included
 */
export async function askApi(
  { baseUrl, apiKey }: Pick<SwapConfig, 'baseUrl' | 'apiKey'>,
  path: string,
  signal: AbortSignal,
): Promise<ApiAnswer> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}${path}`, {
      headers: { '0x-api-key': apiKey, '0x-version': 'v2', accept: 'application/json' },
      // Another host is not told our key.
      redirect: 'error',
      signal,
    })
    const body = parseJson(await readText(response))
    const id = idOf(body)
    if (response.ok && body !== undefined) return { ok: true, id, body }
    return { ok: false, id, ...refusalOf(response.status, body) }
  } catch {
    // What undici says of it may quote the URL or what was received; that it was late or not is what matters.
    const reason = signal.aborted ? 'did not answer in time' : 'could not be asked or broke off'
    return { ok: false, id: null, reason, isOutage: true }
  }
}

function refusalOf(status: number, body: unknown): { reason: string; isOutage: boolean } {
  const { name } = Object(body) as { name?: unknown }
  const shown = typeof name === 'string' && ERROR_NAMES.has(name) ? ` ${name}` : ''
  const isUnreadable = status >= 200 && status < 300
  const reason = isUnreadable ? 'answered no JSON' : `answered ${status}${shown}`
  return { reason, isOutage: isUnreadable || status === 429 || status >= 500 }
}

/** Their support finds an answer by it: `zid`, 12 bytes in hex; of an error it stands in `data`. */
function idOf(body: unknown): string | null {
  const { zid, data } = Object(body) as { zid?: unknown; data?: unknown }
  const id = zid ?? (Object(data) as { zid?: unknown }).zid
  return typeof id === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(id) ? id : null
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    // Leaving the loop cancels the rest.
    if (bytes > MAX_BYTES) throw new Error(`answer above ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
