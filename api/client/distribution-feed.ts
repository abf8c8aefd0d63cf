import type { Hex } from '../../shared/domain/address.ts'

/** What a keeper needs of a PendingDistribution; the feed's own JSON. */
export type Distribution = {
  readonly splitAddress: Hex
  readonly network: string
  readonly token: string
  readonly distributorFeePercent: number
  readonly chainId: number
  readonly tokenAddress: Hex
  readonly call: { readonly to: Hex; readonly data: Hex; readonly distributorOffset: number }
}

/** An object of the feed: an idempotent addition, or removal. */
export type FeedChange =
  | { readonly type: 'distribution.available'; readonly distribution: Distribution }
  | {
      readonly type: 'distribution.claimed'
      readonly splitAddress: Hex
      readonly network: string
      readonly token: string
    }

/** Where the service is, and a key of it. */
export type FeedSource = { readonly apiUrl: string; readonly apiKey: string; readonly signal: AbortSignal }

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
 * Yields everything that can be distributed now, and then every change, until the stream ends or the signal aborts.
 *
 * The stream is opened first, so that nothing falls between the list and it; what is told twice says the same.
 *
 * @throws {Error} with the status, if the service refuses
 */
export async function* followDistributions(source: FeedSource): AsyncGenerator<FeedChange> {
  const stream = await request(source, '/v1/distributions/pending/events')
  for await (const distribution of listDistributions(source)) {
    yield { type: 'distribution.available', distribution }
  }
  yield* readEvents(stream)
}

type Page = { readonly data: readonly Distribution[]; readonly nextCursor: string | null }

async function* listDistributions(source: FeedSource): AsyncGenerator<Distribution> {
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await request(source, `/v1/distributions/pending?limit=${PAGE}${query}`)
    const page = (await answer.json()) as Page
    yield* page.data
    cursor = page.nextCursor
  }
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
async function* readEvents(answer: Response): AsyncGenerator<FeedChange> {
  let unread = ''
  for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (unread + text).split('\n\n')
    unread = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: ?(.*)$/m.exec(block)?.[1]
      if (data !== undefined) yield JSON.parse(data) as FeedChange
    }
  }
}

async function request({ apiUrl, apiKey, signal }: FeedSource, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(apiUrl + path, { headers, signal })
  if (answer.ok) return answer
  throw new Error(`GET ${path} answered ${answer.status}: ${await answer.text()}`)
}
