/**
 * What the service has said: what was asked for; no, and by which code; or nothing that is its word, so that nobody knows
 * what has become of what was brought.
 */
export type Said<Body> =
  | {
      readonly type: 'yes'
      readonly body: Body
      /** By the service's clock, which the payer's may differ from; `NaN` if it does not say. Unix milliseconds. */
      readonly atMs: number
    }
  | { readonly type: 'no'; readonly code: string; readonly atMs: number }
  | { readonly type: 'nothing' }

/**
 * Asks the service below the page.
 *
 * Only its own code is its no: the status alone may be of a proxy, behind which the service has taken what was brought.
 */
export async function askService<Body>(
  path: string,
  init: RequestInit,
  withinMs: number,
): Promise<Said<Body>> {
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
