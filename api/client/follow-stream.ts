import { combineSignals } from '../../shared/runtime/combine-signals.ts'
import { ApiError } from './api-error.ts'
import { delay } from './delay.ts'
import { readEvents, type ServerEvent } from './read-events.ts'

/** Opens a stream that resumes after `lastEventId`. The signal closes the stream. */
export type OpenStream = (from: {
  readonly lastEventId: string | null
  readonly signal: AbortSignal
}) => Promise<{
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}>

type Options = {
  readonly signal?: AbortSignal | undefined
  /** Number of consecutive failures after which the stream is abandoned; unlimited by default. */
  readonly maxFailures?: number
  /** Called after a connection ended, was lost or was rejected, with the delay before the next connection. */
  readonly onLost?: (lost: { readonly reason: string; readonly retryInMs: number }) => void
}

/** Time without data after which a connection counts as lost: three missed heartbeats. */
const SILENT_MS = 45_000
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30_000

/** An event, or a notice that a connection was opened or ended normally. */
export type StreamItem = ({ readonly kind: 'event' } & ServerEvent) | { readonly kind: 'opened' | 'ended' }

/**
 * Yields the events of a stream until the signal aborts. After a lost or ended connection, opens a new one that resumes
 * after the last event.
 *
 * The delay before the next connection grows with each failure, up to 30 s. An event resets it.
 *
 * @throws {ApiError} for a permanent error; after `maxFailures`, the last failure
 */
export async function* followStream(open: OpenStream, options: Options = {}): AsyncGenerator<StreamItem> {
  const { signal, maxFailures = Number.POSITIVE_INFINITY, onLost } = options
  let lastEventId: string | null = null
  const isClosed = (): boolean => signal?.aborted === true
  for (let failures = 0; !isClosed(); ) {
    let lost: unknown = null
    try {
      for await (const item of readConnection(open, { lastEventId, signal })) {
        if (item.kind === 'event') {
          lastEventId = item.id ?? lastEventId
          failures = 0
        }
        yield item
      }
    } catch (error) {
      if (isClosed()) return
      if (error instanceof ApiError && !error.isTransient) throw error
      failures += 1
      if (failures >= maxFailures) throw error
      lost = error
    }
    const retryInMs = delayAfter(lost, failures)
    onLost?.({ reason: describe(lost), retryInMs })
    await delay(retryInMs, signal).catch(() => undefined)
  }
}

async function* readConnection(
  open: OpenStream,
  from: { readonly lastEventId: string | null; readonly signal: AbortSignal | undefined },
): AsyncGenerator<StreamItem> {
  const silence = new AbortController()
  const signal = from.signal === undefined ? silence.signal : combineSignals([from.signal, silence.signal])
  const waitForData = () => setTimeout(() => silence.abort(new Error('no data for 45 seconds')), SILENT_MS)
  let timer = waitForData()
  const restart = (): void => {
    clearTimeout(timer)
    timer = waitForData()
  }
  try {
    const { data, error, response } = await open({ lastEventId: from.lastEventId, signal })
    if (!response.ok) throw new ApiError(response, error)
    yield { kind: 'opened' }
    for await (const event of readEvents(data as ReadableStream<Uint8Array>, restart)) {
      yield { kind: 'event', ...event }
    }
    yield { kind: 'ended' }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

function delayAfter(lost: unknown, failures: number): number {
  if (lost instanceof ApiError && lost.retryAfterMs !== null) return Math.min(lost.retryAfterMs, MAX_DELAY_MS)
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), MAX_DELAY_MS)
}

function describe(lost: unknown): string {
  if (lost === null) return 'the stream ended'
  const { message, cause } = lost as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
