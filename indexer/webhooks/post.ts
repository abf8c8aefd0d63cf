import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { AppError } from '../../shared/domain/errors.ts'

/** What became of one request to an endpoint. */
export type Answer = {
  /** `null`: not answered. */
  readonly responseCode: number | null
  /** The first kilobyte of the answer's body. */
  readonly responseExcerpt: string | null
  /** The answer's `Retry-After`. */
  readonly retryAfter: string | undefined
  /** Why there was no answer; for people. */
  readonly error: string | null
}

/** Posts a body to an endpoint; never throws. */
export type Post = (
  url: string,
  content: { headers: Record<string, string>; body: Buffer },
) => Promise<Answer>

/** Decisions 6.5. */
export const ATTEMPT_TIMEOUT_MS = 8000

/** Read so that the connection can be used again; an endless answer is cut off here. */
const MAX_ANSWER_BYTES = 64 * 1024

const EXCERPT_BYTES = 1024

/**
 * Makes the client that attempts are made with.
 *
 * The bound in time is for everything together, name look-up and handshake included. Redirects are not followed: the
 * new target was not the merchant's to register. The status decides as soon as it is there; a body that never ends,
 * or breaks off, changes nothing.
 *
 * By undici's `dispatch`, which makes neither a signal nor a stream for an answer of which a kilobyte is kept.
 */
export function createPost(
  connect: buildConnector.connector,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
): { readonly post: Post; readonly close: () => Promise<void> } {
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

/** Answers what hears of one request, and answers once: when the answer is whole, long enough, or late. */
function createExchange(resolve: (answer: Answer) => void, timeoutMs: number) {
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

  /** Ends it here and there; a status that has come is what the endpoint said. */
  function fail(error: unknown): void {
    finish(describe(error))
    controller?.abort(error instanceof Error ? error : new EndedError())
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started
      // The time was over while it was waiting for its connection.
      if (isOver) started.abort(new EndedError())
    },
    onResponseStart: (_, statusCode, headers) => {
      if (statusCode < 200) return // Only says that the answer is on its way.
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

/** Ended by us: it is late, or has said enough. */
class EndedError extends Error {}

function excerptOf(kept: readonly Buffer[]): string {
  // PostgreSQL's text holds no NUL.
  return Buffer.concat(kept).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '\u{FFFD}')
}

function describe(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`
  if (!(error instanceof Error)) return 'unknown'
  if (error instanceof EndedError) return 'no answer in time'
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : ''
  return `${code}${error.message}`.slice(0, 200)
}
