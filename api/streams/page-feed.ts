import { listPageTransfers } from '../../shared/db/chain-facts/page-transfers.ts'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import { listAcceptingCharges, listUnavailablePairs } from '../../shared/db/charges/api/accepted-pairs.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { listInFlightAuthorizations } from '../../shared/db/pay-by-signature/in-flight.ts'
import { chunk } from './chunk.ts'
import type { StreamIds } from './stream-ids.ts'
import { createSubscribers, type Subscriber, type Subscribers, sendState, takeMarks } from './subscriber.ts'

/** The streams of payers' pages, and the charges with updates to send. */
export type PageFeed = Pick<Subscribers, 'follow' | 'markChanged'> & {
  /**
   * Sends the pages of changed charges. With `progress`, also sends pages whose transfers or payment by signature have
   * changed, for example by a confirmation; with `isPoll`, also some other pages. Returns `more` if changed pages are
   * left for the next refresh.
   */
  readonly refresh: (turn: {
    readonly progress: boolean
    readonly isPoll: boolean
  }) => Promise<'more' | 'idle'>
}

/** A page's state as JSON, a revision that changes with the state, and whether the state is final. */
export type PageState = { readonly data: string; readonly revision: string; readonly isFinal: boolean }

type Deps = {
  readonly sql: Sql
  readonly ids: StreamIds
  readonly staleAfter: StaleAfter
  readonly readPages: (chargeIds: readonly string[]) => Promise<ReadonlyMap<string, PageState>>
}

const CHARGES_PER_STATEMENT = 50

/**
 * Maximum pages sent per refresh. An unavailable pair changes the pages of all charges that accept it at the same time,
 * and sending them must not delay the hub's other streams.
 */
const PAGES_PER_TURN = 200

/**
 * Pages sent per poll even without an event, because a deadline creates no event. With a poll every two seconds, 500
 * pages take six seconds.
 */
const OTHERS_PER_POLL = 200

/** Creates the feed. It works like the charge feed, but sends the states of pages. */
export function createPageFeed({ sql, ids, staleAfter, readPages }: Deps): PageFeed {
  const followers = createSubscribers()
  const { changed, follow, markChanged } = followers
  /** For each charge id, its transfers and payments by signature as of the last refresh with `progress`, as text. */
  let lastShown: ReadonlyMap<string, string> = new Map()
  /** Unavailable pairs at the last refresh; `null` after a refresh without streams. */
  let lastUnavailable: readonly string[] | null = null
  let polled = 0

  async function refresh(turn: {
    readonly progress: boolean
    readonly isPoll: boolean
  }): Promise<'more' | 'idle'> {
    if (followers.size === 0) {
      lastUnavailable = null
      changed.clear()
      return 'idle'
    }
    await markPairs()
    if (turn.progress) await markMoved()
    if (turn.isPoll) markOthers()
    for (const id of changed) if (!followers.has(id)) changed.delete(id)
    // The oldest marks first. Charges beyond the limit stay marked for the next refresh.
    const due = [...changed].slice(0, PAGES_PER_TURN)
    for (const some of chunk(due, CHARGES_PER_STATEMENT)) {
      await sendPages(takeMarks(followers, some)).catch((error: unknown) => {
        some.forEach((id) => changed.add(id))
        throw error
      })
    }
    return changed.size > 0 ? 'more' : 'idle'
  }

  /** Marks the pages with a pair that was paused or resumed, or whose chain became stale or recovered. */
  async function markPairs(): Promise<void> {
    const now = await listUnavailablePairs(sql, staleAfter)
    const before = lastUnavailable ?? now
    const pairs = [...now, ...before].filter((pair) => now.includes(pair) !== before.includes(pair))
    if (pairs.length > 0) {
      for (const id of await listAcceptingCharges(sql, { ids: [...followers.keys()], pairs })) changed.add(id)
    }
    lastUnavailable = now
  }

  async function markMoved(): Promise<void> {
    const found = new Map<string, string>()
    for (const { chargeId, ...transfer } of await listPageTransfers(sql, [...followers.keys()])) {
      found.set(chargeId, `${found.get(chargeId) ?? ''}${Object.values(transfer).join(' ')},`)
    }
    for (const { chargeId, status } of await listInFlightAuthorizations(sql, [...followers.keys()])) {
      found.set(chargeId, `${found.get(chargeId) ?? ''}${status},`)
    }
    for (const id of new Set([...found.keys(), ...lastShown.keys()])) {
      if (found.get(id) !== lastShown.get(id)) changed.add(id)
    }
    lastShown = found
  }

  function markOthers(): void {
    const all = [...followers.keys()]
    for (let count = 0; count < Math.min(OTHERS_PER_POLL, all.length); count += 1) {
      changed.add(all[(polled + count) % all.length] ?? '')
    }
    polled = (polled + OTHERS_PER_POLL) % all.length
  }

  async function sendPages(readers: ReadonlyMap<string, readonly Subscriber[]>): Promise<void> {
    for (const [chargeId, { data, revision, isFinal }] of await readPages([...readers.keys()])) {
      const id = ids.ofState(revision)
      const short = JSON.stringify({ revision })
      for (const follower of readers.get(chargeId) ?? []) {
        follower.isFinal = isFinal
        const sent = { kind: 'checkout', name: 'checkout', id, data: follower.isShort ? short : data }
        sendState(follower, sent)
      }
    }
  }

  return { follow, markChanged, refresh }
}
