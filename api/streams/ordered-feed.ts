import type { EventStream } from './event-stream.ts'

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
  /** Reads the events of a scope with `after` < seq ≤ `upTo`, in order. */
  readonly list: (range: { after: number; upTo: number; scope: Scope }) => Promise<readonly Event[]>
  readonly frameOf: (event: Event) => string
}

/** Numbers of all events read in one statement while catching up: some 10 ms. */
const CATCH_UP_EVENTS = 10_000

/** New events kept for a client that is still catching up; one slower than that starts again. */
const MAX_QUEUED = 10_000

/** Makes the feed. */
export function createOrderedFeed<Scope, Event extends { readonly seq: number }>(
  options: Options<Scope, Event>,
): OrderedFeed<Scope, Event> {
  const followers = new Map<EventStream, { scope: Scope; deliver: (event: Event) => void }>()

  async function follow({ stream, scope, after, upTo }: Follower<Scope>): Promise<void> {
    let sent = after
    const send = (event: Event): void => {
      if (event.seq <= sent) return
      sent = event.seq
      stream.send(options.frameOf(event))
    }
    const queued: Event[] = []
    const keep = (event: Event): void => {
      if (queued.push(event) > MAX_QUEUED) stream.end()
    }
    const follower = { scope, deliver: keep }
    followers.set(stream, follower)
    stream.onClose(() => followers.delete(stream))
    for (let from = after; from < upTo && followers.has(stream); from += CATCH_UP_EVENTS) {
      const range = { after: from, upTo: Math.min(upTo, from + CATCH_UP_EVENTS), scope }
      for (const event of await options.list(range)) send(event)
      await drained(stream)
    }
    for (const event of queued) send(event)
    follower.deliver = send
  }

  return {
    follow,
    deliver: (event, isFor) => {
      for (const follower of followers.values()) if (isFor(follower.scope)) follower.deliver(event)
    },
    scopes: () => [...followers.values()].map(({ scope }) => scope),
  }
}

/** Resolves when the client has read what it was sent, or is gone. */
function drained(stream: EventStream): Promise<void> {
  if (!stream.isCongested()) return Promise.resolve()
  return new Promise((resolve) => {
    stream.onDrain(resolve)
    stream.onClose(resolve)
  })
}
