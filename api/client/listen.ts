import type { ApiClient } from './client.ts'
import { createStreamFetch } from './create-stream-fetch.ts'
import { followStream } from './follow-stream.ts'
import type { Schema } from './schema.ts'

export type ListenedEvent =
  /** The secret for signing forwarded events. Each connection gets a new secret. */
  | { readonly kind: 'ready'; readonly secret: string }
  /** `body` is the text that a webhook would receive, with spaces instead of line breaks between JSON tokens. */
  | { readonly kind: 'event'; readonly event: Schema<'WebhookEvent'>; readonly body: string }

/**
 * Yields every webhook event of the key's organization and environment, and reconnects after a lost connection.
 *
 * A new connection continues after the last received event. If an event that it would have to replay is more than 24
 * hours old, it continues with new events only.
 *
 * @param options.onLost - called after a connection ended, was lost or was rejected, with the delay before the next one
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
