import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { AppError } from '../../shared/domain/errors.ts'

/** Outcome of one request to an endpoint. */
export type WebhookResponse = {
  /** `null` if no response arrived. */
  readonly responseCode: number | null
  /** The first kilobyte of the response body. */
  readonly responseExcerpt: string | null
  readonly retryAfter: string | undefined
  /** Why no response arrived, as a short text. */
  readonly error: string | null
}

/** Posts a body to an endpoint. Never throws. */
export type PostWebhook = (
  url: string,
  content: { headers: Record<string, string>; body: Buffer },
) => Promise<WebhookResponse>

/** Timeout of an attempt (decisions 6.5). */
export const ATTEMPT_TIMEOUT_MS = 8000

/**
 * Size of a response body at which the request is aborted. A shorter body is read to its end, so that the connection
 * can be reused.
 */
const MAX_ANSWER_BYTES = 64 * 1024

const EXCERPT_BYTES = 1024

/**
 * Creates the HTTP client for attempts.
 *
 * The timeout covers the whole request, including name resolution and handshake. Redirects are not followed, because
 * the merchant did not register their target. Once the status has arrived, a body that breaks off or never ends does
 * not change the outcome.
 *
 * Uses undici's `dispatch`, which creates no abort signal and no stream. Neither is needed, because `createExchange`
 * ends the request and keeps only the first kilobyte of the response.
 */
export function createPostWebhook(
  connect: buildConnector.connector,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
): { readonly post: PostWebhook; readonly close: () => Promise<void> } {
  const agent = new Agent({ connect, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  return {
    post: (url, { headers, body }) =>
      new Promise((resolve) => {
        const { handler, fail } = createExchange(resolve, timeoutMs)
        try {
          const { origin, pathname, search } = new URL(url)
          agent.dispatch({ origin, path: `${pathname}${search}`, method: 'POST', headers, body }, handler)
        } catch (error) {
          fail(error)
        }
      }),
    close: () => agent.destroy(),
  }
}

/**
 * Creates the handler of one request. It calls `resolve` once: when the response is complete or reaches the size limit,
 * or when the request fails or times out.
 */
function createExchange(resolve: (answer: WebhookResponse) => void, timeoutMs: number) {
  const answer = { code: null as number | null, retryAfter: undefined as string | undefined }
  const kept: Buffer[] = []
  let length = 0
  let isOver = false
  let controller: Dispatcher.DispatchController | null = null
  const timer = setTimeout(() => fail(new EndedError()), timeoutMs)

  function finish(error: string | null): void {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    const { code, retryAfter } = answer
    const isAnswered = code !== null
    const responseExcerpt = isAnswered ? excerptOf(kept) : null
    resolve({ responseCode: code, responseExcerpt, retryAfter, error: isAnswered ? null : error })
  }

  /** Aborts the request. If a status has arrived, the outcome contains the status instead of the error. */
  function fail(error: unknown): void {
    finish(describe(error))
    controller?.abort(error instanceof Error ? error : new EndedError())
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started
      // The request may have timed out while it waited for its connection.
      if (isOver) started.abort(new EndedError())
    },
    onResponseStart: (_, statusCode, headers) => {
      if (statusCode < 200) return // An informational status; the final response follows.
      answer.code = statusCode
      answer.retryAfter = [headers['retry-after']].flat()[0]
    },
    onResponseData: (_, chunk) => {
      if (length < EXCERPT_BYTES) kept.push(chunk)
      length += chunk.length
      if (length >= MAX_ANSWER_BYTES) fail(new EndedError())
    },
    onResponseEnd: () => finish(null),
    onResponseError: (_, error) => finish(describe(error)),
  }
  return { handler, fail }
}

/** The error of a request that we aborted, because it timed out or its response reached the size limit. */
class EndedError extends Error {}

function excerptOf(kept: readonly Buffer[]): string {
  // PostgreSQL's text type cannot store NUL.
  return Buffer.concat(kept).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '\u{FFFD}')
}

function describe(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`
  if (!(error instanceof Error)) return 'unknown'
  if (error instanceof EndedError) return 'no response in time'
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : ''
  return `${code}${error.message}`.slice(0, 200)
}
