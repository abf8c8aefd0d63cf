import { type CurrentCharge, findCharges, type StaleAfter } from '../../shared/db/charges-read.ts'
import { type AwaitedTransfer, listAwaitedTransfers } from '../../shared/db/confirmation-progress.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { presentProgress } from '../charges/present-progress.ts'
import { type EventStream, eventFrame } from './event-stream.ts'

/** The streams of single charges, and what they have yet to be told. */
export type ChargeFeed = {
  /** Tells this stream of the charge at the next refresh, then of every change, until the charge is final. */
  readonly follow: (chargeId: string, stream: EventStream) => void
  /** Notes that something happened to these charges. */
  readonly markChanged: (chargeIds: readonly string[]) => void
  /** Tells the streams of changed charges; with `progress`, also of the confirmations of all others. */
  readonly refresh: (turn: { seq: number; progress: boolean }) => Promise<void>
}

type Deps = {
  readonly sql: Sql
  readonly staleAfter: StaleAfter
  readonly present: (current: CurrentCharge) => string
}

/** What one stream was last told, and what waits until its client has read that. */
type Follower = {
  readonly stream: EventStream
  readonly told: Map<string, string>
  readonly waiting: Map<string, string>
  isFinal: boolean
}

/**
 * Makes the feed.
 *
 * However many streams and events there are, a refresh is two statements; and since only the newest state of a charge
 * matters, a slow client gets fewer frames and not more memory.
 */
export function createChargeFeed({ sql, staleAfter, present }: Deps): ChargeFeed {
  const followers = new Map<string, Set<Follower>>()
  const changed = new Set<string>()

  function follow(chargeId: string, stream: EventStream): void {
    const follower: Follower = { stream, told: new Map(), waiting: new Map(), isFinal: false }
    const ofCharge = followers.get(chargeId) ?? new Set()
    followers.set(chargeId, ofCharge.add(follower))
    changed.add(chargeId)
    stream.onDrain(() => flush(follower))
    stream.onClose(() => {
      ofCharge.delete(follower)
      if (ofCharge.size === 0 && followers.get(chargeId) === ofCharge) followers.delete(chargeId)
    })
  }

  async function refresh({ seq, progress }: { seq: number; progress: boolean }): Promise<void> {
    const ids = [...changed].filter((id) => followers.has(id))
    const watched = progress ? [...followers.keys()] : ids
    const currents = ids.length === 0 ? [] : await findCharges(sql, { ids, staleAfter })
    // After the charges: a transfer credited in between awaits nothing, and its charge is told of in the next turn.
    const awaited = watched.length === 0 ? [] : await listAwaitedTransfers(sql, watched)
    for (const id of ids) changed.delete(id)
    for (const current of currents) tellCharge(current, seq)
    for (const transfer of awaited) tellProgress(transfer, seq)
  }

  function tellCharge(current: CurrentCharge, seq: number): void {
    const data = present(current)
    const isFinal = isFinalForStreams(current.charge)
    for (const follower of followers.get(current.charge.id) ?? []) {
      follower.isFinal = isFinal
      if (follower.told.get('charge') !== data) forgetProgress(follower)
      tell(follower, { kind: 'charge', name: 'charge', id: seq, data })
    }
  }

  function tellProgress(transfer: AwaitedTransfer, seq: number): void {
    const data = JSON.stringify(presentProgress(transfer))
    for (const follower of followers.get(transfer.chargeId) ?? []) {
      // Who came while this refresh was reading is told of the charge first, by the next one (decisions 3.12).
      if (!follower.told.has('charge')) continue
      tell(follower, { kind: transfer.network, name: 'confirmation_progress', id: seq, data })
    }
  }

  return {
    follow,
    markChanged: (chargeIds) => {
      for (const id of chargeIds) if (followers.has(id)) changed.add(id)
    },
    refresh,
  }
}

/**
 * Tells whether nothing more is to be expected of a charge: `expired`, paid out or failed to be, or refunded.
 *
 * @see decisions 3.12
 */
function isFinalForStreams({ status, settlementStatus, escrow }: ChargeRecord): boolean {
  if (status === 'expired' || (escrow !== null && escrow.refundedAt !== null)) return true
  const isDecided = status === 'confirmed' || status === 'underpaid'
  return isDecided && (settlementStatus === 'completed' || settlementStatus === 'failed')
}

/** Progress that waits or was told belongs to the charge as it was before. */
function forgetProgress({ told, waiting }: Follower): void {
  told.clear()
  waiting.clear()
}

function tell(follower: Follower, event: { kind: string; name: string; id: number; data: string }): void {
  if (follower.told.get(event.kind) === event.data) return endIfFinal(follower)
  follower.told.set(event.kind, event.data)
  follower.waiting.delete(event.kind)
  follower.waiting.set(event.kind, eventFrame(event))
  if (!follower.stream.isCongested()) flush(follower)
}

function flush(follower: Follower): void {
  for (const frame of follower.waiting.values()) follower.stream.send(frame)
  follower.waiting.clear()
  endIfFinal(follower)
}

function endIfFinal({ isFinal, waiting, stream }: Follower): void {
  if (isFinal && waiting.size === 0) stream.end()
}
