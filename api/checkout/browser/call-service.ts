/**
 * Result of a request: `yes` with the body; `no` with the service's error code; or `nothing`, if no response of the
 * service arrived and the outcome of the request is unknown.
 */
export type ServiceResult<Body> =
  | {
      readonly type: 'yes'
      readonly body: Body
      /**
       * Time on the service's clock, which might differ from the payer's, in Unix milliseconds; `NaN` without a `Date`
       * header.
       */
      readonly atMs: number
    }
  | { readonly type: 'no'; readonly code: string; readonly atMs: number }
  | { readonly type: 'nothing' }

/**
 * Sends a request to the service. The path is relative to the page.
 *
 * Only a response with the service's own error code counts as `no`. An error status alone might come from a proxy,
 * behind which the service has accepted the request.
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
