import { listAwaitedTransfers } from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { EventStream } from './event-stream.ts'
import { createFollowers, tell } from './follower.ts'
import { slicesOf } from './slices-of.ts'
import type { StreamIds } from './stream-ids.ts'

/** The streams of payers' pages, and what they have yet to be told. */
export type PageFeed = {
  /** Tells this stream of what its page shows at the next refresh, then of every change, until nothing more comes. */
  readonly follow: (chargeId: string, stream: EventStream) => void
  /** Notes that something happened to these charges. */
  readonly markChanged: (chargeIds: readonly string[]) => void
  /** Tells the pages of changed charges; with `progress`, of those whose transfers are deeper; at a poll, of some others. */
  readonly refresh: (turn: { readonly progress: boolean; readonly isPoll: boolean }) => Promise<void>
}

/** What a page shows, as JSON, and whether that is the end. */
export type PageState = { readonly data: string; readonly isFinal: boolean }

type Deps = {
  readonly sql: Sql
  readonly ids: StreamIds
  /** Reads what the pages of these charges show now. */
  readonly readPages: (chargeIds: readonly string[]) => Promise<ReadonlyMap<string, PageState>>
}

/** Charges read in one statement, as in the feed of charges. */
const CHARGES_PER_STATEMENT = 50

/**
 * Pages looked at anew at a poll although nothing was heard of them: a deadline passes and a pair is paused without an
 * event. At a poll every two seconds 500 pages have been looked at after six.
 */
const OTHERS_PER_POLL = 200

/** Makes the feed; it works as the feed of charges does, but what it tells is what a page shows. */
export function createPageFeed({ sql, ids, readPages }: Deps): PageFeed {
  const followers = createFollowers()
  const changed = new Set<string>()
  /** What was awaited of a charge when it was last looked at. */
  let depths: ReadonlyMap<string, string> = new Map()
  let polled = 0

  async function refresh(turn: { readonly progress: boolean; readonly isPoll: boolean }): Promise<void> {
    if (followers.size === 0) return changed.clear()
    if (turn.progress) await noteDepths()
    if (turn.isPoll) noteOthers()
    const due = [...changed].filter((id) => followers.has(id))
    changed.clear()
    // What is not read because this fails is due again.
    due.forEach((id) => changed.add(id))
    for (const some of slicesOf(due, CHARGES_PER_STATEMENT)) {
      // Before the read: whatever is noted during it is read again.
      some.forEach((id) => changed.delete(id))
      await tellPages(some).catch((error: unknown) => {
        some.forEach((id) => changed.add(id))
        throw error
      })
    }
  }

  async function noteDepths(): Promise<void> {
    const found = new Map<string, string>()
    for (const { chargeId, ...transfer } of await listAwaitedTransfers(sql, [...followers.keys()])) {
      found.set(chargeId, `${found.get(chargeId) ?? ''}${JSON.stringify(transfer)}`)
    }
    for (const id of new Set([...found.keys(), ...depths.keys()])) {
      if (found.get(id) !== depths.get(id)) changed.add(id)
    }
    depths = found
  }

  function noteOthers(): void {
    const all = [...followers.keys()]
    for (let count = 0; count < Math.min(OTHERS_PER_POLL, all.length); count += 1) {
      changed.add(all[(polled + count) % all.length] ?? '')
    }
    polled = (polled + OTHERS_PER_POLL) % all.length
  }

  async function tellPages(chargeIds: readonly string[]): Promise<void> {
    for (const [chargeId, { data, isFinal }] of await readPages(chargeIds)) {
      const id = ids.ofState(data)
      for (const follower of followers.get(chargeId) ?? []) {
        follower.isFinal = isFinal
        tell(follower, { kind: 'checkout', name: 'checkout', id, data })
      }
    }
  }

  return {
    follow: (chargeId, stream) => {
      followers.add(chargeId, stream)
      changed.add(chargeId)
    },
    markChanged: (chargeIds) => {
      for (const id of chargeIds) if (followers.has(id)) changed.add(id)
    },
    refresh,
  }
}
