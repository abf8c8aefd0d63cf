import type { Throttle } from './pacing.ts'

export type FailedResponse = {
  readonly status: number
  readonly text: string
  readonly headers: Pick<Headers, 'get'> | undefined
}

/** JSON-RPC error codes for too many requests: EIP-1474, several providers, and the HTTP status 429 used as a code. */
const THROTTLE_CODES = new Set([429, -32_005, -32_016, -32_029])

/** Error texts of providers and of java-tron ("lack of computing resources") for too many requests. */
const THROTTLE_TEXT =
  /rate.?limit|too many requests|(request|frequency|daily|monthly|usage).{0,20}(limit|quota)|(limit|quota).{0,20}(exceed|reached)|exceed.{0,40}(limit|quota|capacity|credits)|lack of computing resources/i

/**
 * Texts of errors that a pause would not fix, although their texts and codes resemble a demand: a response that is too
 * long, a call that needs too much gas, and a revert, whose text the contract's author chooses.
 */
const OF_CALL_TEXT =
  /results|block range|response size|block distance|range of blocks|too large|up to a \d+|\bgas\b|revert/i

/** TronGrid: "The key exceeds the frequency limit(15), and the query server is suspended for 5s". */
const SUSPENDED_TEXT = /suspended for (\d{1,6}) ?s/i

/** Maximum characters of a text that are searched. */
export const MAX_TEXT = 2_000

/**
 * Returns the demand for fewer requests in a failed HTTP response; `null` if there is none. Status 429 is always a
 * demand, 503 only if it names a duration, and 403 only if its text is about a limit.
 */
export function readHttpThrottle({ status, text, headers }: FailedResponse, now: Date): Throttle | null {
  const retryAfterMs = readRetryAfterMs(headers, now) ?? readSuspensionMs(text)
  if (status === 429) return { retryAfterMs }
  if (status === 503 && retryAfterMs !== null) return { retryAfterMs }
  return status === 403 && isAboutLimit(text) ? { retryAfterMs } : null
}

/** Returns the demand for fewer requests in a JSON-RPC error, or in an error text of TRON; `null` if there is none. */
export function readRpcThrottle(error: unknown): Throttle | null {
  const { code, message, data } = Object(error) as Readonly<Record<string, unknown>>
  const text = typeof error === 'string' ? error : typeof message === 'string' ? message : ''
  const isThrottle = isAboutLimit(text) || (THROTTLE_CODES.has(Number(code)) && !isOfCall(text))
  return isThrottle ? { retryAfterMs: readBackoffMs(data) ?? readSuspensionMs(text) } : null
}

function isAboutLimit(text: string): boolean {
  return THROTTLE_TEXT.test(text.slice(0, MAX_TEXT)) && !isOfCall(text)
}

function isOfCall(text: string): boolean {
  return OF_CALL_TEXT.test(text.slice(0, MAX_TEXT))
}

/** Reads the header `Retry-After` in milliseconds. A date is compared with the header `Date`, the node's own clock. */
function readRetryAfterMs(headers: FailedResponse['headers'], now: Date): number | null {
  const text = headers?.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Number(text) * 1_000
  const atMs = text.endsWith('GMT') ? Date.parse(text) : Number.NaN
  if (Number.isNaN(atMs)) return null
  const sentAtMs = Date.parse(headers?.get('date') ?? '')
  return Math.max(0, atMs - (Number.isNaN(sentAtMs) ? now.getTime() : sentAtMs))
}

function readSuspensionMs(text: string): number | null {
  const [, seconds] = SUSPENDED_TEXT.exec(text.slice(0, MAX_TEXT)) ?? []
  return seconds === undefined ? null : Number(seconds) * 1_000
}

/** Returns the delay in milliseconds from Infura's field `{ "rate": { "backoff_seconds": 30 } }`. */
function readBackoffMs(data: unknown): number | null {
  const { rate } = Object(data) as { readonly rate?: unknown }
  const { backoff_seconds: seconds } = Object(rate) as { readonly backoff_seconds?: unknown }
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : null
}
