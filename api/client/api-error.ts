import type { Schema } from './schema.ts'

/** An answer of the API that is no success. */
export class ApiError extends Error {
  readonly status: number
  /** Stable; `null` if whoever answered, perhaps a proxy, does not speak for the service. */
  readonly code: Schema<'ErrorCode'> | null
  /** The field concerned. */
  readonly param: string | null
  /** What to name when asking the service's operators. */
  readonly requestId: string | null
  /** How long the service asks to wait; `null` if it does not. */
  readonly retryAfterMs: number | null

  constructor(response: Response, body: unknown) {
    const { error } = (isErrorBody(body) ? body : {}) as Partial<Schema<'Error'>>
    super(error?.message ?? `the service answered ${response.status}`)
    this.name = 'ApiError'
    this.status = response.status
    this.code = error?.code ?? null
    this.param = error?.param ?? null
    this.requestId = response.headers.get('request-id')
    this.retryAfterMs = readRetryAfter(response)
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.status === 429 || this.status >= 500
  }
}

/** Answers how long a response asks to wait, in milliseconds, or `null`. */
export function readRetryAfter({ headers }: Response): number | null {
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : null
}

function isErrorBody(body: unknown): body is Schema<'Error'> {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false
  return typeof body.error === 'object' && body.error !== null && 'code' in body.error
}
