/**
 * Result of a request: `yes` with the body; `no` with the service's error code; `nothing` if the service's response did
 * not arrive, so that the outcome is unknown.
 */
export type ServiceResult<Body> =
  | {
      readonly type: 'yes'
      readonly body: Body
      /**
       * Time of the response in Unix milliseconds, on the service's clock, because the payer's might be wrong. `NaN`
       * without a `Date` header.
       */
      readonly atMs: number
    }
  | { readonly type: 'no'; readonly code: string; readonly atMs: number }
  | { readonly type: 'nothing' }

/**
 * Sends a request to the service. The path is relative to the page.
 *
 * Only a response with the service's own error code counts as `no`. A mere error status might come from a proxy,
 * although the service accepted the request.
 */
export async function callService<Body>(
  path: string,
  init: RequestInit,
  withinMs: number,
): Promise<ServiceResult<Body>> {
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(withinMs) })
    const body: unknown = await response.json()
    const atMs = Date.parse(response.headers.get('date') ?? '')
    if (response.ok) return { type: 'yes', body: body as Body, atMs }
    const code = (body as Failure).error?.code
    return code ? { type: 'no', code, atMs } : { type: 'nothing' }
  } catch {
    return { type: 'nothing' }
  }
}

type Failure = { readonly error?: { readonly code?: string } }
