import { setTimeout as delay } from 'node:timers/promises'
import createClient, { type Client } from 'openapi-fetch'
import { ApiError, readRetryAfter } from './api-error.ts'
import type { paths } from './api-types.ts'

/** Every endpoint, typed: `api.GET('/v1/charges/{id}', { params: { path: { id } } })`. */
export type ApiClient = Client<paths>

/** Longer than the service itself waits for the chain when an escrow is ordered (30 s). */
const TIMEOUT_MS = 40_000

/** A read that fails for a reason that may pass is tried this often. */
const MAX_ATTEMPTS = 3
const FIRST_DELAY_MS = 250

/** Longer waits are the caller's to plan: a rate limit asks for up to a minute. */
const MAX_DELAY_MS = 5000

/**
 * Makes the client of one API key.
 *
 * Every request has a bound in time. Reads are repeated where that may help, what moves something never: send an
 * `idempotencyKey` and repeat yourself.
 *
 * @param service.apiUrl - where it is, without `/v1`
 */
export function createApiClient(service: { readonly apiUrl: string; readonly apiKey: string }): ApiClient {
  return createClient<paths>({
    baseUrl: service.apiUrl.replace(/\/$/, ''),
    headers: { authorization: `Bearer ${service.apiKey}` },
    fetch: fetchPatiently,
  })
}

/**
 * Answers the body of a call that succeeded.
 *
 * @throws {ApiError} for any other answer; {@link TypeError} if there was none
 */
export async function answerOf<Answer>(
  call: Promise<{ readonly data?: Answer; readonly error?: unknown; readonly response: Response }>,
): Promise<Answer> {
  const { data, error, response } = await call
  if (!response.ok) throw new ApiError(response, error)
  return data as Answer
}

async function fetchPatiently(request: Request): Promise<Response> {
  const mayRepeat = request.method === 'GET'
  for (let attempt = 1; ; attempt += 1) {
    const isLast = !mayRepeat || attempt === MAX_ATTEMPTS
    const backoffMs = FIRST_DELAY_MS * 2 ** (attempt - 1)
    try {
      const response = await fetch(request.clone(), {
        signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      const waitMs = readRetryAfter(response) ?? backoffMs
      if (isLast || !PASSING.has(response.status) || waitMs > MAX_DELAY_MS) return response
      await delay(waitMs, undefined, { signal: request.signal })
    } catch (error) {
      if (isLast || request.signal.aborted) throw error
      await delay(backoffMs, undefined, { signal: request.signal })
    }
  }
}

/** Too many requests, and what proxies and we say while something is being replaced. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])
