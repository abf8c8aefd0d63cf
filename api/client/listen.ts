import type { ApiClient } from './client.ts'
import { createStreamFetch } from './create-stream-fetch.ts'
import { followStream } from './follow-stream.ts'
import type { Schema } from './schema.ts'

/** An item of the stream of webhook events. */
export type ListenedEvent =
  /** The secret for signing forwarded events; each connection has its own. */
  | { readonly kind: 'ready'; readonly secret: string }
  /** `body` is the text that a webhook would receive, except that line breaks between tokens are spaces. */
  | { readonly kind: 'event'; readonly event: Schema<'WebhookEvent'>; readonly body: string }

/**
 * Yields every webhook event of the key's organization and environment, across as many connections as needed.
 *
 * After a lost connection, the stream continues after the last event received, unless an event that it would have to
 * replay is more than 24 hours old. In that case, it starts with new events.
 *
 * @param options.onLost - called after a connection has ended, was lost or was rejected, with the delay before the next
 * @throws {ApiError} for a permanent error
 */
export async function* listenToEvents(
  api: ApiClient,
  options: {
    readonly signal?: AbortSignal
    readonly onLost?: (lost: { readonly reason: string; readonly retryInMs: number }) => void
  } = {},
): AsyncGenerator<ListenedEvent> {
  const items = followStream(
    ({ lastEventId, signal }) =>
      api.GET('/v1/webhooks/listen', {
        params: { header: lastEventId === null ? {} : { 'Last-Event-ID': lastEventId } },
        parseAs: 'stream',
        fetch: createStreamFetch(signal),
        signal,
      }),
    options,
  )
  for await (const item of items) {
    if (item.kind !== 'event') continue
    if (item.event === 'ready') {
      const { secret } = JSON.parse(item.data) as Schema<'ListenReady'>
      yield { kind: 'ready', secret }
    } else {
      yield { kind: 'event', event: JSON.parse(item.data) as Schema<'WebhookEvent'>, body: item.data }
    }
  }
}
