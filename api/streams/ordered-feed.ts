import type { EventStream } from './event-stream.ts'
import { createOutbox, type NumberedFrame, type Outbox } from './outbox.ts'

/** Streams that each get every event of their scope once, in the order of the events' numbers. */
export type OrderedFeed<Scope, Event> = {
  /** Sends the events after `after` that have been delivered already, then every one that will be. */
  readonly follow: (follower: Follower<Scope>) => Promise<void>
  /** Gives an event to the streams of the scopes it is for, but for those that have yet to come to it. */
  readonly deliver: (event: Event, isFor: (scope: Scope) => boolean) => void
  /** Says that every event up to this number has been delivered. */
  readonly advance: (seq: number) => void
  /** The number up to which every event has been delivered. */
  readonly position: () => number
  /** The scopes of all open streams. */
  readonly scopes: () => readonly Scope[]
}

type Follower<Scope> = {
  readonly stream: EventStream
  readonly scope: Scope
  readonly after: number
}

/** The first events of a range, and whether they are all that are in it. */
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
  /** Of what waits for one stream to be read. */
  readonly maxUnreadBytes: number
}

/** Numbers of all events read in one statement while catching up: some 10 ms. */
const CATCH_UP_NUMBERS = 10_000

/** A scope's own events among them, held in memory until its client has read them. */
const CATCH_UP_EVENTS = 100

/**
 * Makes the feed.
 *
 * A stream that catches up is given nothing new: it reads on until it has come to where the others are, and only then
 * is one of them. So it holds one batch, however much it has missed and however slowly it reads.
 */
export function createOrderedFeed<Scope, Event extends { readonly seq: number }>({
  list,
  frameOf,
  maxUnreadBytes,
}: Options<Scope, Event>): OrderedFeed<Scope, Event> {
  const followers = new Map<
    EventStream,
    { readonly scope: Scope; readonly outbox: Outbox; isLive: boolean }
  >()
  let position = 0
  const write = (event: Event): NumberedFrame => ({ seq: event.seq, bytes: frameOf(event) })

  async function follow({ stream, scope, after }: Follower<Scope>): Promise<void> {
    const outbox = createOutbox(stream, { after, maxBytes: maxUnreadBytes })
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
