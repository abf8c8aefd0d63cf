import type { Hex } from '../../shared/domain/address.ts'
import { type ApiClient, answerOf } from './client.ts'
import { followStream } from './follow-stream.ts'
import { eachOf } from './pages.ts'
import type { Schema } from './schema.ts'

/** A PendingDistribution whose addresses are known to be those of EVM networks. */
export type Distribution = Schema<'PendingDistribution'> & {
  readonly splitAddress: Hex
  readonly tokenAddress: Hex
  readonly call: { readonly to: Hex; readonly data: Hex }
}

/** An object of the feed: an idempotent addition, or removal. */
export type FeedChange =
  | { readonly type: 'distribution.available'; readonly distribution: Distribution }
  | Extract<Schema<'DistributionChange'>, { type: 'distribution.claimed' }>

const PAGE = 100

/** Two pairs of one split are two distributions. */
export function distributionKey(of: {
  readonly splitAddress: string
  readonly network: string
  readonly token: string
}): string {
  return `${of.splitAddress}/${of.network}/${of.token}`
}

/**
 * Yields everything that can be distributed now, and then every change, until the signal aborts.
 *
 * The list is read anew when the stream first speaks and whenever a connection was lost: with what it resumes from,
 * nothing falls between the two, and what is told twice says the same.
 *
 * @throws {ApiError} if the service refuses
 */
export async function* followDistributions(api: ApiClient, signal: AbortSignal): AsyncGenerator<FeedChange> {
  const stream = followStream(
    ({ lastEventId, signal: closing }) =>
      api.GET('/v1/distributions/pending/events', {
        params: { header: lastEventId === null ? {} : { 'Last-Event-ID': lastEventId } },
        parseAs: 'stream',
        fetch,
        signal: closing,
      }),
    { signal },
  )
  for await (const item of stream) {
    if (item.kind === 'opened') yield* listDistributions(api)
    if (item.kind === 'event') yield JSON.parse(item.data) as FeedChange
  }
}

async function* listDistributions(api: ApiClient): AsyncGenerator<FeedChange> {
  const all = eachOf((cursor) =>
    answerOf(
      api.GET('/v1/distributions/pending', {
        params: { query: { limit: PAGE, ...(cursor !== undefined && { cursor }) } },
      }),
    ),
  )
  for await (const distribution of all) {
    yield { type: 'distribution.available', distribution: distribution as Distribution }
  }
}
