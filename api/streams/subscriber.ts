import { type EventStream, eventFrame } from './event-stream.ts'

/**
 * A stream of states, with the id of the newest frame of each kind, and the frames that wait because the client has not
 * read the previous frames.
 */
export type Subscriber = {
  readonly stream: EventStream
  /** For each kind, the id of its newest frame, even if the frame still waits. */
  sent: Readonly<Partial<Record<string, string>>>
  /** For each kind, the frame to send next; `null` while no frame waits, to save memory. */
  waiting: Map<string, Buffer> | null
  /** Whether the client wants only the revision of each state. */
  readonly isShort: boolean
  isFinal: boolean
}

/** A state to send to a follower. A newer state of the same kind replaces it. */
export type SubscriberState = {
  readonly kind: string
  readonly name: string
  readonly id: string
  readonly data: string
}

/**
 * Followers of charges by the charge's id, each until its stream closes.
 *
 * A slow client receives only the newest state, so it needs no more memory. After a frame is sent, only its id is kept,
 * because a charge can have 100 kB and there are thousands of streams.
 */
export type Subscribers = ReadonlyMap<string, readonly Subscriber[]> & {
  /** Ids of followed charges with an update to send. The feed removes an id before it reads the charge. */
  readonly changed: Set<string>
  /** Sends the state of the charge to this stream at the next refresh, then every change, until the state is final. */
  readonly follow: (chargeId: string, stream: EventStream, options?: { readonly isShort: boolean }) => void
  readonly markChanged: (chargeIds: readonly string[]) => void
}

/** Creates an empty map of followers. */
export function createSubscribers(): Subscribers {
  // Arrays instead of sets, because a set of one follower takes 230 bytes.
  const followers = new Map<string, readonly Subscriber[]>()
  const changed = new Set<string>()
  const follow: Subscribers['follow'] = (chargeId, stream, { isShort } = { isShort: false }) => {
    const follower: Subscriber = { stream, isShort, sent: {}, waiting: null, isFinal: false }
    followers.set(chargeId, [...(followers.get(chargeId) ?? []), follower])
    changed.add(chargeId)
    stream.onDrain(() => flush(follower))
    stream.onClose(() => {
      const others = followers.get(chargeId)?.filter((other) => other !== follower) ?? []
      if (others.length === 0) followers.delete(chargeId)
      else followers.set(chargeId, others)
    })
  }
  const markChanged = (chargeIds: readonly string[]): void => {
    for (const id of chargeIds) if (followers.has(id)) changed.add(id)
  }
  return Object.assign(followers, { changed, follow, markChanged })
}

/**
 * Removes the marks of these charges before their states are read, and returns the followers to which these states may
 * be sent. A follower that joins during the read might already have a newer state, so it waits for the next read.
 */
export function takeMarks(
  subscribers: Subscribers,
  ids: readonly string[],
): ReadonlyMap<string, readonly Subscriber[]> {
  for (const id of ids) subscribers.changed.delete(id)
  return new Map(ids.map((id) => [id, subscribers.get(id) ?? []]))
}

/**
 * Sends a state once the client can read it, unless the same state was sent last. Ends the stream after the final
 * state.
 */
export function sendState(follower: Subscriber, state: SubscriberState): void {
  if (follower.sent[state.kind] === state.id) return endIfFinal(follower)
  follower.sent = { ...follower.sent, [state.kind]: state.id }
  const waiting = follower.waiting ?? new Map<string, Buffer>()
  waiting.delete(state.kind)
  follower.waiting = waiting.set(state.kind, eventFrame(state))
  if (follower.stream.isCongested()) countWaiting(follower)
  else flush(follower)
}

function flush(follower: Subscriber): void {
  follower.waiting?.forEach((frame) => follower.stream.send(frame))
  follower.waiting = null
  countWaiting(follower)
  endIfFinal(follower)
}

function countWaiting({ stream, waiting }: Subscriber): void {
  const frames = [...(waiting?.values() ?? [])]
  stream.holdBack(frames.reduce((sum, { length }) => sum + length, 0))
}

function endIfFinal({ isFinal, waiting, stream }: Subscriber): void {
  if (isFinal && waiting === null) stream.end()
}
