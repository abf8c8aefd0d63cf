import { ApiError } from './api-error.ts'
import { type ApiClient, requireData } from './client.ts'
import { createStreamFetch } from './create-stream-fetch.ts'
import { delay } from './delay.ts'
import { followStream } from './follow-stream.ts'
import type { Schema } from './schema.ts'

/** The changed charge, or the confirmation progress of a detected transfer. */
export type ChargeUpdate =
  | { readonly kind: 'charge'; readonly charge: Schema<'Charge'> }
  | { readonly kind: 'progress'; readonly progress: Schema<'ConfirmationProgress'> }

/** Consecutive failures after which the stream is replaced by polling, or the polling ends with the last error. */
const MAX_FAILURES = 2

/** Maximum delay after a failed read. The service can request a delay (`Retry-After`). */
const MAX_DELAY_MS = 30_000

/** Poll interval: 30 of the 100 requests per minute that a key may send by default. */
const POLL_MS = 2000

/**
 * Yields the charge, and again whenever it changes, until the charge is final or the signal aborts.
 *
 * Polls if the stream fails, for example because a proxy buffers streams or too many are open. Polling yields no
 * confirmation progress and can miss a change between two reads.
 *
 * @throws {ApiError} for a permanent error such as `charge_not_found`; while polling, after two failed reads in a row,
 * the error of the second
 */
export async function* followCharge(
  api: ApiClient,
  id: string,
  { signal, pollMs = POLL_MS }: { readonly signal?: AbortSignal; readonly pollMs?: number } = {},
): AsyncGenerator<ChargeUpdate> {
  try {
    const isDone = yield* followByStream(api, { id, signal })
    if (isDone) return
  } catch (error) {
    if (error instanceof ApiError && !error.isTransient) throw error
  }
  yield* followByPolling(api, { id, signal, pollMs })
}

/** Returns whether a charge can no longer change on its own (specification, "States and transitions"). */
function isFinalCharge({ status, settlementStatus, escrow }: Schema<'Charge'>): boolean {
  if (status === 'expired' || (escrow !== null && escrow.refundedAt !== null)) return true
  const isDecided = status === 'confirmed' || status === 'underpaid'
  return isDecided && (settlementStatus === 'completed' || settlementStatus === 'failed')
}

type Followed = { readonly id: string; readonly signal: AbortSignal | undefined }

async function* followByStream(
  api: ApiClient,
  { id, signal }: Followed,
): AsyncGenerator<ChargeUpdate, boolean> {
  const items = followStream(
    (from) =>
      api.GET('/v1/charges/{id}/events', {
        params: { path: { id } },
        parseAs: 'stream',
        fetch: createStreamFetch(from.signal),
        signal: from.signal,
      }),
    { signal, maxFailures: MAX_FAILURES },
  )
  let isFinal = false
  for await (const item of items) {
    if (item.kind === 'ended' && isFinal) return true
    const news = item.kind === 'event' ? parseUpdate(item) : null
    if (news === null) continue
    if (news.kind === 'charge') isFinal = isFinalCharge(news.charge)
    yield news
  }
  return true
}

function parseUpdate({
  event,
  data,
}: {
  readonly event: string
  readonly data: string
}): ChargeUpdate | null {
  if (event === 'charge') return { kind: 'charge', charge: JSON.parse(data) as Schema<'Charge'> }
  if (event !== 'confirmation_progress') return null // Added by a newer service.
  return { kind: 'progress', progress: JSON.parse(data) as Schema<'ConfirmationProgress'> }
}

async function* followByPolling(
  api: ApiClient,
  { id, signal, pollMs }: Followed & { readonly pollMs: number },
): AsyncGenerator<ChargeUpdate> {
  let lastText = ''
  let failures = 0
  const read = () => requireData(api.GET('/v1/charges/{id}', { params: { path: { id } } }))
  for (;;) {
    if (signal?.aborted === true) return
    let delayMs = pollMs
    const charge = await read().catch((error: unknown) => {
      failures += 1
      const isPermanent = error instanceof ApiError && !error.isTransient
      if (isPermanent || failures >= MAX_FAILURES) throw error
      if (error instanceof ApiError)
        delayMs = Math.max(pollMs, Math.min(error.retryAfterMs ?? 0, MAX_DELAY_MS))
      return null
    })
    if (charge !== null) {
      failures = 0
      const text = JSON.stringify(charge)
      if (text !== lastText) yield { kind: 'charge', charge }
      lastText = text
      if (isFinalCharge(charge)) return
    }
    await delay(delayMs, signal).catch(() => undefined)
  }
}
