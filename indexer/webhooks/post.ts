import { Agent, type buildConnector, type Dispatcher, request } from 'undici'
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
  content: { headers: Record<string, string>; body: string },
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
 */
export function createPost(
  connect: buildConnector.connector,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
): { readonly post: Post; readonly close: () => Promise<void> } {
  const agent = new Agent({ connect, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  return {
    post: async (url, { headers, body }) => {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal })
        return {
          responseCode: answer.statusCode,
          responseExcerpt: await readExcerpt(answer.body),
          retryAfter: [answer.headers['retry-after']].flat()[0],
          error: null,
        }
      } catch (error) {
        return { responseCode: null, responseExcerpt: null, retryAfter: undefined, error: describe(error) }
      }
    },
    close: () => agent.destroy(),
  }
}

async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (length < EXCERPT_BYTES) kept.push(chunk)
      length += chunk.length
      if (length >= MAX_ANSWER_BYTES) break
    }
  } catch {
    // Broken off, or still coming when the time was over: what has come is what it says.
  }
  // PostgreSQL's text holds no NUL.
  return Buffer.concat(kept).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '\u{FFFD}')
}

function describe(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`
  if (!(error instanceof Error)) return 'unknown'
  if (error.name === 'TimeoutError') return 'no answer in time'
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : ''
  return `${code}${error.message}`.slice(0, 200)
}
