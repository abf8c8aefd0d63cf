import { parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { type ApiClient, requireData } from './client.ts'
import { createStreamFetch } from './create-stream-fetch.ts'
import { followStream } from './follow-stream.ts'
import { paginate } from './paginate.ts'
import type { Schema } from './schema.ts'

/**
 * An addition to the feed or a removal from it; both are idempotent. Only the `network` of an addition is checked, to
 * be a string. The code that acts on the addition must check all fields.
 */
export type FeedChange =
  | {
      readonly type: 'distribution.available'
      readonly distribution: { readonly network: string; readonly [field: string]: unknown }
    }
  | Extract<Schema<'DistributionChange'>, { type: 'distribution.claimed' }>

const PAGE = 100

/**
 * Returns the key of a distribution, independent of the spelling of its address. Two pairs of one split are two
 * distributions.
 */
export function distributionKey(of: {
  readonly splitAddress: string
  readonly network: string
  readonly token: string
}): string {
  return `${parseAddress(of.splitAddress) ?? of.splitAddress}/${of.network}/${of.token}`
}

/**
 * Yields all pending distributions, and then every change, until the signal aborts.
 *
 * Reads the whole list each time a connection opens, and resumes the stream, so that no change is lost. A change might
 * be yielded twice.
 *
 * @throws {ApiError} if the service rejects the request
 */
export async function* followDistributions(api: ApiClient, signal: AbortSignal): AsyncGenerator<FeedChange> {
  const stream = followStream(
    ({ lastEventId, signal: closing }) =>
      api.GET('/v1/distributions/pending/events', {
        params: { header: lastEventId === null ? {} : { 'Last-Event-ID': lastEventId } },
        parseAs: 'stream',
        fetch: createStreamFetch(closing),
        signal: closing,
      }),
    { signal },
  )
  for await (const item of stream) {
    if (item.kind === 'opened') yield* listDistributions(api)
    if (item.kind === 'event') yield* parseChange(JSON.parse(item.data))
  }
}

async function* listDistributions(api: ApiClient): AsyncGenerator<FeedChange> {
  const all = paginate((cursor) =>
    requireData(
      api.GET('/v1/distributions/pending', {
        params: { query: { limit: PAGE, ...(cursor !== undefined && { cursor }) } },
      }),
    ),
  )
  for await (const distribution of all) {
    yield* parseChange({ type: 'distribution.available', distribution })
  }
}

/** Yields the value if it is a change; ignores anything else. */
function* parseChange(value: unknown): Generator<FeedChange> {
  const change = toFields(value)
  const type = change['type']
  if (type === 'distribution.available') {
    const distribution = toFields(change['distribution'])
    const network = distribution['network']
    if (typeof network === 'string') yield { type, distribution: { ...distribution, network } }
  } else if (type === 'distribution.claimed') {
    const { splitAddress, network, token } = change
    if ([splitAddress, network, token].every((field) => typeof field === 'string')) yield change as FeedChange
  }
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
