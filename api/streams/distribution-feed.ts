import type { Sql } from '../../shared/db/connect.ts'
import {
  type DistributionEvent,
  listDistributionEvents,
  type SequencedEvent,
} from '../../shared/db/events/api/events-read.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import { type EventStream, eventFrame } from './event-stream.ts'
import { createOrderedFeed } from './ordered-feed.ts'
import type { StreamIds } from './stream-ids.ts'

/** The streams of the keeper feed. */
export type DistributionFeed = {
  /** Sends the past events with numbers above `after`, then every new event. */
  readonly follow: (follower: {
    stream: EventStream
    environment: Environment
    after: number
  }) => Promise<void>
  /** Sends the given events that belong to the feed. The caller must pass every new event up to `upTo`. */
  readonly publish: (events: readonly SequencedEvent[], upTo: number) => void
}

type Deps = { readonly sql: Sql; readonly ids: StreamIds; readonly maxUnreadBytes: number }

/** Creates the feed. Every stream receives every event of its environment once, in the order of their numbers. */
export function createDistributionFeed({ sql, ids, maxUnreadBytes }: Deps): DistributionFeed {
  const feed = createOrderedFeed<Environment, DistributionEvent>({
    // Each event is about 2 kB, so the limit on the number of events also limits the bytes.
    list: async ({ scope, limit, ...range }) => {
      const events = await listDistributionEvents(sql, { ...range, limit, environment: scope })
      return { events, isWhole: events.length < limit }
    },
    frameOf: ({ seq, data }) => eventFrame({ name: 'distribution', id: ids.ofEvent(seq), data }),
    maxUnreadBytes,
  })
  return {
    follow: ({ environment, ...follower }) => feed.follow({ ...follower, scope: environment }),
    publish: (events, upTo) => {
      for (const { category, data, seq, environment } of events) {
        if (category === 'distributions' && data !== null) {
          feed.deliver({ seq, data }, (scope) => scope === environment)
        }
      }
      feed.advance(upTo)
    },
  }
}
