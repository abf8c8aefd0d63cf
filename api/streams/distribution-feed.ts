import type { Sql } from '../../shared/db/connect.ts'
import {
  type DistributionEvent,
  listDistributionEvents,
  type SequencedEvent,
} from '../../shared/db/events-read.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import { type EventStream, eventFrame } from './event-stream.ts'
import { createOrderedFeed } from './ordered-feed.ts'

/** The keeper feed's streams. */
export type DistributionFeed = {
  /**
   * Sends the events after `seq` that this process has already seen, then every one that comes.
   *
   * @param follower.upTo - the last number this process has seen
   */
  readonly follow: (follower: {
    stream: EventStream
    environment: Environment
    after: number
    upTo: number
  }) => Promise<void>
  /** Sends what the feed contains of these events. */
  readonly publish: (events: readonly SequencedEvent[]) => void
}

/** Makes the feed; every stream gets every event of its environment once, in the order of their numbers. */
export function createDistributionFeed(sql: Sql): DistributionFeed {
  const feed = createOrderedFeed<Environment, DistributionEvent>({
    list: ({ scope, ...range }) => listDistributionEvents(sql, { ...range, environment: scope }),
    frameOf: ({ seq, data }) => eventFrame({ name: 'distribution', id: seq, data }),
  })
  return {
    follow: ({ environment, ...follower }) => feed.follow({ ...follower, scope: environment }),
    publish: (events) => {
      for (const { category, data, seq, environment } of events) {
        if (category === 'distributions' && data !== null) {
          feed.deliver({ seq, data }, (scope) => scope === environment)
        }
      }
    },
  }
}
