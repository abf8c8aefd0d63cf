/**
 * Returns the `fetch` for a stream, without a time limit or retries.
 *
 * It passes `signal` to the platform's `fetch` a second time, because Node 20 loses the abort of a `Request` that is
 * garbage-collected while its response is still being read.
 */
export function createStreamFetch(signal: AbortSignal | undefined): (request: Request) => Promise<Response> {
  return (request) => fetch(request, { ...(signal !== undefined && { signal }) })
}
