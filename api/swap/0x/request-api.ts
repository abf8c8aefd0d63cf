import { readText } from '../../../shared/runtime/read-text.ts'
import type { SwapConfig } from '../../../shared/runtime/swap-config.ts'

/** Result of a request to 0x: the JSON of the response, or the reason for the failure. */
export type ApiResult =
  | { readonly ok: true; readonly id: string | null; readonly body: unknown }
  | { readonly ok: false; readonly id: string | null; readonly reason: string; readonly isOutage: boolean }

/** Maximum size of a response. A quote has about 10 kB. */
const MAX_BYTES = 512 * 1024

/** The only texts of 0x's error responses that may appear in our log. */
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
 * Sends one request to 0x's API. Never throws. Aborting `signal` ends the request.
 *
 * From an error response, only the id and the names in `ERROR_NAMES` are used. Other text might contain our API key.
 *
 * @param path - path below the base URL, including the query
 */
export async function requestApi(
  { baseUrl, apiKey }: Pick<SwapConfig, 'baseUrl' | 'apiKey'>,
  path: string,
  signal: AbortSignal,
): Promise<ApiResult> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}${path}`, {
      headers: { '0x-api-key': apiKey, '0x-version': 'v2', accept: 'application/json' },
      // A redirect would send our API key to another host.
      redirect: 'error',
      signal,
    })
    const body = parseJson(await readText(response, MAX_BYTES))
    const id = findResponseId(body)
    if (response.ok && body !== undefined) return { ok: true, id, body }
    return { ok: false, id, ...describeFailure(response.status, body) }
  } catch {
    // The reason must not contain the text of undici's error, which might quote the URL or received data.
    const reason = signal.aborted ? 'did not respond in time' : 'was unreachable or broke off'
    return { ok: false, id: null, reason, isOutage: true }
  }
}

function describeFailure(status: number, body: unknown): { reason: string; isOutage: boolean } {
  const { name } = Object(body) as { name?: unknown }
  const shown = typeof name === 'string' && ERROR_NAMES.has(name) ? ` ${name}` : ''
  const isUnreadable = status >= 200 && status < 300
  const reason = isUnreadable ? 'returned invalid JSON' : `responded with ${status}${shown}`
  return { reason, isOutage: isUnreadable || status === 429 || status >= 500 }
}

/** Finds the response id that 0x's support needs: `zid`, 12 bytes in hex. In an error response `zid` is in `data`. */
function findResponseId(body: unknown): string | null {
  const { zid, data } = Object(body) as { zid?: unknown; data?: unknown }
  const id = zid ?? (Object(data) as { zid?: unknown }).zid
  return typeof id === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(id) ? id : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
