import { parseAddress } from '../../shared/domain/families/families.ts'
import { type ApiClient, answerOf } from './client.ts'
import { followStream } from './follow-stream.ts'
import { eachOf } from './pages.ts'
import type { Schema } from './schema.ts'

/**
 * An object of the feed: an idempotent addition, or removal. Of an addition only its network was read; the rest may be
 * anything, and is checked by whoever will act on it.
 */
export type FeedChange =
  | {
      readonly type: 'distribution.available'
      readonly distribution: { readonly network: string; readonly [field: string]: unknown }
    }
  | Extract<Schema<'DistributionChange'>, { type: 'distribution.claimed' }>

const PAGE = 100

/** Names a distribution, however its address is written: two pairs of one split are two of them. */
export function distributionKey(of: {
  readonly splitAddress: string
  readonly network: string
  readonly token: string
}): string {
  return `${parseAddress(of.splitAddress) ?? of.splitAddress}/${of.network}/${of.token}`
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
    if (item.kind === 'event') yield* changesOf(JSON.parse(item.data))
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
    yield* changesOf({ type: 'distribution.available', distribution })
  }
}

/** What a stranger says, if it has the shape of a change; nothing else is his to make us do. */
function* changesOf(value: unknown): Generator<FeedChange> {
  const change = fieldsOf(value)
  const type = change['type']
  if (type === 'distribution.available') {
    const distribution = fieldsOf(change['distribution'])
    const network = distribution['network']
    if (typeof network === 'string') yield { type, distribution: { ...distribution, network } }
  } else if (type === 'distribution.claimed') {
    const { splitAddress, network, token } = change
    if ([splitAddress, network, token].every((field) => typeof field === 'string')) yield change as FeedChange
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
