import type { EventStream } from './event-stream.ts'
import { createSendQueue, type NumberedFrame, type SendQueue } from './send-queue.ts'

/** Streams that each receive every event of their scope once, in the order of the events' numbers. */
export type OrderedFeed<Scope, Event> = {
  /** Sends the past events with numbers above `after`, then every new event. */
  readonly follow: (follower: Follower<Scope>) => Promise<void>
  /** Sends an event to the streams of matching scopes, except for streams that are still catching up. */
  readonly deliver: (event: Event, isFor: (scope: Scope) => boolean) => void
  /** Records that every event up to this number has been passed to `deliver`. */
  readonly advance: (seq: number) => void
  /** Returns the number passed to the last call of `advance`. */
  readonly position: () => number
  /** Returns the scopes of all open streams. */
  readonly scopes: () => readonly Scope[]
}

type Follower<Scope> = {
  readonly stream: EventStream
  readonly scope: Scope
  readonly after: number
}

/** The first events of a range of numbers, and whether the range has no further events. */
export type Batch<Event> = { readonly events: readonly Event[]; readonly isWhole: boolean }

type Options<Scope, Event> = {
  /** Reads the first events of a scope with `after` < seq ≤ `upTo`, in order, at most `limit`. */
  readonly list: (range: {
    after: number
    upTo: number
    limit: number
    scope: Scope
  }) => Promise<Batch<Event>>
  readonly frameOf: (event: Event) => Buffer
  /** Maximum bytes that wait for one stream. */
  readonly maxUnreadBytes: number
}

/** Event numbers that one statement covers when a stream catches up. The statement takes about 10 ms. */
const CATCH_UP_NUMBERS = 10_000

/** Maximum events that one such statement returns. They stay in memory until the client has read them. */
const CATCH_UP_EVENTS = 100

/**
 * Creates the feed.
 *
 * A stream that catches up receives no new events until it has reached the feed's position. So it keeps only one batch
 * in memory, even if it has missed many events or reads slowly.
 */
export function createOrderedFeed<Scope, Event extends { readonly seq: number }>({
  list,
  frameOf,
  maxUnreadBytes,
}: Options<Scope, Event>): OrderedFeed<Scope, Event> {
  const followers = new Map<
    EventStream,
    { readonly scope: Scope; readonly outbox: SendQueue; isLive: boolean }
  >()
  let position = 0
  const write = (event: Event): NumberedFrame => ({ seq: event.seq, bytes: frameOf(event) })

  async function follow({ stream, scope, after }: Follower<Scope>): Promise<void> {
    const outbox = createSendQueue(stream, { after, maxBytes: maxUnreadBytes })
    const follower = { scope, outbox, isLive: false }
    followers.set(stream, follower)
    stream.onClose(() => followers.delete(stream))
    for (let from = after; from < position && followers.has(stream); ) {
      const upTo = Math.min(position, from + CATCH_UP_NUMBERS)
      const { events, isWhole } = await list({ after: from, upTo, limit: CATCH_UP_EVENTS, scope })
      for (const event of events) await outbox.send(write(event))
      from = isWhole ? upTo : (events.at(-1)?.seq ?? upTo)
    }
    follower.isLive = true
  }

  function deliver(event: Event, isFor: (scope: Scope) => boolean): void {
    let frame: NumberedFrame | undefined
    for (const { scope, outbox, isLive } of followers.values()) {
      if (!isLive || !isFor(scope)) continue
      frame ??= write(event)
      outbox.push(frame)
    }
  }

  return {
    follow,
    deliver,
    advance: (seq) => {
      position = seq
    },
    position: () => position,
    scopes: () => [...followers.values()].map(({ scope }) => scope),
  }
}
