import { ApiError } from './api-error.ts'
import type { ApiClient } from './client.ts'
import { createStreamFetch } from './create-stream-fetch.ts'
import { delay } from './delay.ts'
import { createEntrySplitter, type ExportPart, type ExportQuery } from './split-entries.ts'

type Options = {
  readonly signal?: AbortSignal
  /** Called after each lost or rejected connection, with the delay before the next connection. */
  readonly onLost?: (lost: { readonly reason: string; readonly retryInMs: number }) => void
  /**
   * Called before the first entries. The export contains only entries recorded before `recordedUntil`. Pass this time
   * as `recordedUntil` to repeat or continue this export, and as `recordedSince` for the next export.
   */
  readonly onBegun?: (recordedUntil: string) => void
}

const MAX_FAILURES = 8
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30_000

/**
 * Yields the export of an organization's books in whole entries, and reconnects after a lost connection. Concatenated,
 * the texts equal one uninterrupted response.
 *
 * Every later request sends the `Accounting-Recorded-Until` of the first response as `recordedUntil`. Entries that are
 * recorded during the export are therefore in none of the responses, even if they sort before the point where the
 * export continues.
 *
 * A proxy can make a truncated response look complete. The text after the last yielded entry is therefore requested
 * again until two consecutive complete responses return the same text. The columns of CSV and JSON, if given, must
 * include `entry_id`.
 *
 * @throws {ApiError} for a permanent error. After eight failures in a row, or if the signal aborts, throws the last
 *   error.
 */
export async function* exportEntries(
  api: ApiClient,
  query: ExportQuery,
  { signal, onLost, onBegun }: Options = {},
): AsyncGenerator<ExportPart> {
  const splitter = createEntrySplitter(query)
  let view: ExportQuery = query
  let isBegun = false
  const pin = (recordedUntil: string | null): void => {
    if (isBegun || recordedUntil === null) return
    isBegun = true
    view = { ...view, recordedUntil }
    onBegun?.(recordedUntil)
  }
  let after = query.after ?? null
  let held: string | null = null
  for (let failures = 0; ; ) {
    try {
      for await (const text of readText(
        api,
        { ...view, ...(after !== null && { after }) },
        { signal, pin },
      )) {
        const part = splitter.push(text)
        if (part.entries === 0) continue
        after = part.lastEntryId
        held = null
        failures = 0
        yield part
      }
      const rest = splitter.finish()
      if (rest.text === held) {
        yield rest
        return
      }
      held = rest.text
    } catch (error) {
      splitter.restart()
      failures += 1
      if (signal?.aborted === true || isPermanent(error) || failures >= MAX_FAILURES) throw error
      const retryInMs = getRetryDelay(error, failures)
      onLost?.({ reason: error instanceof Error ? error.message : String(error), retryInMs })
      await delay(retryInMs, signal)
    }
  }
}

/**
 * Yields the text of one response. Does not use the client's timeout, which would end a long export. The service closes
 * stalled connections.
 */
async function* readText(
  api: ApiClient,
  query: ExportQuery,
  {
    signal,
    pin,
  }: { readonly signal: AbortSignal | undefined; readonly pin: (recordedUntil: string | null) => void },
): AsyncGenerator<string> {
  const { data, error, response } = await api.GET('/v1/accounting/entries', {
    params: { query },
    parseAs: 'stream',
    fetch: createStreamFetch(signal),
    ...(signal !== undefined && { signal }),
  })
  if (!response.ok) throw new ApiError(response, error)
  pin(response.headers.get('accounting-recorded-until'))
  const decoder = new TextDecoder()
  const reader = (data as ReadableStream<Uint8Array>).getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      yield decoder.decode(read.value, { stream: true })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function isPermanent(error: unknown): boolean {
  return error instanceof ApiError && !error.isTransient
}

function getRetryDelay(error: unknown, failures: number): number {
  const requestedMs = error instanceof ApiError ? error.retryAfterMs : null
  return Math.min(requestedMs ?? FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS)
}
