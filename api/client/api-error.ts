import type { Schema } from './schema.ts'

/** An error response of the API. */
export class ApiError extends Error {
  readonly status: number
  /** Stable error code; `null` if the response is not from the service, for example from a proxy. */
  readonly code: Schema<'ErrorCode'> | null
  /** The field that the error concerns. */
  readonly param: string | null
  /** The request id to give to the service's operators. */
  readonly requestId: string | null
  /** Delay before a retry that the service requests; `null` if it requests none. */
  readonly retryAfterMs: number | null

  constructor(response: Response, body: unknown) {
    const { error } = (isErrorBody(body) ? body : {}) as Partial<Schema<'Error'>>
    super(error?.message ?? `the service responded with status ${response.status}`)
    this.name = 'ApiError'
    this.status = response.status
    this.code = error?.code ?? null
    this.param = error?.param ?? null
    this.requestId = response.headers.get('request-id')
    this.retryAfterMs = readRetryAfter(response)
  }

  /** Whether the same request might succeed later. */
  get isTransient(): boolean {
    return this.status === 429 || this.status >= 500
  }
}

/** Returns the delay in milliseconds that `Retry-After` requests, or `null`. */
export function readRetryAfter({ headers }: Response): number | null {
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : null
}

function isErrorBody(body: unknown): body is Schema<'Error'> {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false
  return typeof body.error === 'object' && body.error !== null && 'code' in body.error
}
