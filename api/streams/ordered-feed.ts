import type { EventStream } from './event-stream.ts'
import { createOutbox, type NumberedFrame, type Outbox } from './outbox.ts'

/** Streams that each get every event of their scope once, in the order of the events' numbers. */
export type OrderedFeed<Scope, Event> = {
  /**
   * Sends the events after `after` that this process has already seen, then every one that is delivered.
   *
   * @param follower.upTo - the last number this process has seen
   */
  readonly follow: (follower: Follower<Scope>) => Promise<void>
  /** Gives an event to the streams of the scopes it is for. */
  readonly deliver: (event: Event, isFor: (scope: Scope) => boolean) => void
  /** The scopes of all open streams. */
  readonly scopes: () => readonly Scope[]
}

type Follower<Scope> = {
  readonly stream: EventStream
  readonly scope: Scope
  readonly after: number
  readonly upTo: number
}

type Options<Scope, Event> = {
  /** Reads the first events of a scope with `after` < seq ≤ `upTo`, in order, at most `limit`. */
  readonly list: (range: {
    after: number
    upTo: number
    limit: number
    scope: Scope
  }) => Promise<readonly Event[]>
  readonly frameOf: (event: Event) => string
}

/** Numbers of all events read in one statement while catching up: some 10 ms. */
const CATCH_UP_NUMBERS = 10_000

/** A scope's own events among them, held in memory until its client has read them. */
const CATCH_UP_EVENTS = 100

/** Makes the feed. */
export function createOrderedFeed<Scope, Event extends { readonly seq: number }>({
  list,
  frameOf,
}: Options<Scope, Event>): OrderedFeed<Scope, Event> {
  const followers = new Map<EventStream, { readonly scope: Scope; readonly outbox: Outbox }>()
  const write = (event: Event): NumberedFrame => ({ seq: event.seq, text: frameOf(event) })

  async function follow({ stream, scope, after, upTo }: Follower<Scope>): Promise<void> {
    const outbox = createOutbox(stream, after)
    followers.set(stream, { scope, outbox })
    stream.onClose(() => followers.delete(stream))
    for (let from = after; from < upTo && followers.has(stream); ) {
      const end = Math.min(upTo, from + CATCH_UP_NUMBERS)
      const events = await list({ after: from, upTo: end, limit: CATCH_UP_EVENTS, scope })
      for (const event of events) await outbox.send(write(event))
      from = events.length < CATCH_UP_EVENTS ? end : (events.at(-1)?.seq ?? end)
    }
    outbox.goLive()
  }

  function deliver(event: Event, isFor: (scope: Scope) => boolean): void {
    let frame: NumberedFrame | undefined
    for (const { scope, outbox } of followers.values()) {
      if (!isFor(scope)) continue
      frame ??= write(event)
      outbox.push(frame)
    }
  }

  return { follow, deliver, scopes: () => [...followers.values()].map(({ scope }) => scope) }
}
