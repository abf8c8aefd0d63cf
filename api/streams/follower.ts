import { type EventStream, eventFrame } from './event-stream.ts'

/** A stream of states: what it was last told, as the ids of its frames, and what waits until its client has read that. */
export type Follower = {
  readonly stream: EventStream
  readonly told: Map<string, string>
  readonly waiting: Map<string, Buffer>
  isFinal: boolean
}

/** What a follower is to know; of each kind only the newest matters. */
export type State = {
  readonly kind: string
  readonly name: string
  readonly id: string
  readonly data: string
}

/**
 * Followers of charges by the charge's id, each until its stream closes.
 *
 * Since only the newest state matters, a slow client gets fewer frames and not more memory. Of what a stream was told the
 * id of its frame is kept, not the frame: a charge can be 100 kB, and there are thousands of streams.
 */
export type Followers = ReadonlyMap<string, ReadonlySet<Follower>> & {
  readonly add: (chargeId: string, stream: EventStream) => void
}

/** Makes an empty table of followers. */
export function createFollowers(): Followers {
  const followers = new Map<string, Set<Follower>>()
  const add = (chargeId: string, stream: EventStream): void => {
    const follower: Follower = { stream, told: new Map(), waiting: new Map(), isFinal: false }
    const ofCharge = followers.get(chargeId) ?? new Set()
    followers.set(chargeId, ofCharge.add(follower))
    stream.onDrain(() => flush(follower))
    stream.onClose(() => {
      ofCharge.delete(follower)
      if (ofCharge.size === 0 && followers.get(chargeId) === ofCharge) followers.delete(chargeId)
    })
  }
  return Object.assign(followers, { add })
}

/** Sends a state as soon as its client can read it, unless it was told already; ends a stream that is told the last. */
export function tell(follower: Follower, state: State): void {
  if (follower.told.get(state.kind) === state.id) return endIfFinal(follower)
  follower.told.set(state.kind, state.id)
  follower.waiting.delete(state.kind)
  follower.waiting.set(state.kind, eventFrame(state))
  if (follower.stream.isCongested()) countWaiting(follower)
  else flush(follower)
}

function flush(follower: Follower): void {
  for (const frame of follower.waiting.values()) follower.stream.send(frame)
  follower.waiting.clear()
  countWaiting(follower)
  endIfFinal(follower)
}

function countWaiting({ stream, waiting }: Follower): void {
  stream.holdBack([...waiting.values()].reduce((sum, { length }) => sum + length, 0))
}

function endIfFinal({ isFinal, waiting, stream }: Follower): void {
  if (isFinal && waiting.size === 0) stream.end()
}
