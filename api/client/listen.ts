import type { ApiClient } from './client.ts'
import { followStream } from './follow-stream.ts'
import type { Schema } from './schema.ts'

/** What the stream of webhook events tells. */
export type Heard =
  /** Whoever passes events on signs them with this; each connection has its own. */
  | { readonly kind: 'ready'; readonly secret: string }
  /** `body` is the text that a webhook would get, but that a line break between two tokens of it is a space. */
  | { readonly kind: 'event'; readonly event: Schema<'WebhookEvent'>; readonly body: string }

/**
 * Yields every webhook event of the key's organization and environment, over as many connections as it takes.
 *
 * A connection that was lost is resumed after the last event, within 24 hours.
 *
 * @param onLost - told of each connection that was lost, and when the next is tried
 * @throws {ApiError} for a refusal that does not pass
 */
export async function* listenToEvents(
  api: ApiClient,
  options: {
    readonly signal?: AbortSignal
    readonly onLost?: (lost: { readonly reason: string; readonly retryInMs: number }) => void
  } = {},
): AsyncGenerator<Heard> {
  const items = followStream(
    ({ lastEventId, signal }) =>
      api.GET('/v1/webhooks/listen', {
        params: { header: lastEventId === null ? {} : { 'Last-Event-ID': lastEventId } },
        parseAs: 'stream',
        fetch,
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
