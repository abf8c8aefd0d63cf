import createClient, { type Client } from 'openapi-fetch'
import { combineSignals } from '../../shared/runtime/combine-signals.ts'
import { ApiError, readRetryAfter } from './api-error.ts'
import type { paths } from './api-types.ts'
import { delay } from './delay.ts'

/** Typed client of every endpoint: `api.GET('/v1/charges/{id}', { params: { path: { id } } })`. */
export type ApiClient = Client<paths>

/** Timeout of a request, longer than the service waits for the chain after an escrow order (30 s). */
const TIMEOUT_MS = 40_000

/** Maximum attempts of a read that fails for a transient reason. */
const MAX_ATTEMPTS = 3
const FIRST_DELAY_MS = 250

/**
 * Maximum delay before a retry. If the service requests more, the response goes to the caller, because a rate limit can
 * request up to a minute.
 */
const MAX_DELAY_MS = 5000

/**
 * Creates the client for one API key.
 *
 * Every request has a timeout. Reads that fail for a transient reason are retried. Writes are never retried: send an
 * `idempotencyKey` and retry yourself.
 *
 * @param service.apiUrl - the service's address, without `/v1`
 */
export function createApiClient(service: { readonly apiUrl: string; readonly apiKey: string }): ApiClient {
  return createClient<paths>({
    baseUrl: service.apiUrl.replace(/\/$/, ''),
    headers: { authorization: `Bearer ${service.apiKey}` },
    fetch: fetchWithRetries,
  })
}

/**
 * Returns the body of a successful call.
 *
 * @throws {ApiError} for an error response; the error of `fetch` if there was no response
 */
export async function requireData<Body>(
  call: Promise<{ readonly data?: Body; readonly error?: unknown; readonly response: Response }>,
): Promise<Body> {
  const { data, error, response } = await call
  if (!response.ok) throw new ApiError(response, error)
  return data as Body
}

async function fetchWithRetries(request: Request): Promise<Response> {
  const canRetry = request.method === 'GET'
  for (let attempt = 1; ; attempt += 1) {
    const isLast = !canRetry || attempt === MAX_ATTEMPTS
    const backoffMs = FIRST_DELAY_MS * 2 ** (attempt - 1)
    try {
      const response = await fetch(request.clone(), {
        signal: combineSignals([request.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      const waitMs = readRetryAfter(response) ?? backoffMs
      if (isLast || !TRANSIENT_STATUSES.has(response.status) || waitMs > MAX_DELAY_MS) return response
      await delay(waitMs, request.signal)
    } catch (error) {
      if (isLast || request.signal.aborted) throw error
      await delay(backoffMs, request.signal)
    }
  }
}

/** The status of a rate limit, and statuses that proxies and the service return while the service is being replaced. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])
