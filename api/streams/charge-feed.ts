import {
  listPendingTransfers,
  type PendingTransfer,
} from '../../shared/db/chain-facts/confirmation-progress.ts'
import { findStreamedCharges, type StreamedCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { isFinalCharge } from '../../shared/domain/is-final-charge.ts'
import { presentProgress } from '../../shared/domain/present-progress.ts'
import { chunk } from './chunk.ts'
import type { StreamIds } from './stream-ids.ts'
import { createSubscribers, type Subscriber, type Subscribers, sendState, takeMarks } from './subscriber.ts'

/** The streams of single charges, and the updates that they have not received yet. */
export type ChargeFeed = Pick<Subscribers, 'follow' | 'markChanged'> & {
  /** Sends changed charges to their streams; with `progress`, also the confirmations of all other charges. */
  readonly refresh: (turn: { progress: boolean }) => Promise<void>
}

type Deps = {
  readonly sql: Sql
  readonly ids: StreamIds
  readonly present: (charge: ChargeRecord) => string
}

/**
 * Creates the feed. `hub.ts` calls `markChanged` for each new event in the database, then `refresh`, which reads the
 * changed charges and sends them.
 *
 * A refresh runs one statement per `CHARGES_PER_STATEMENT` charges, and another if a transfer to one of them waits for
 * confirmations, regardless of the number of streams and events.
 */
export function createChargeFeed({ sql, ids, present }: Deps): ChargeFeed {
  const followers = createSubscribers()
  const { changed, follow, markChanged } = followers

  async function refresh({ progress }: { progress: boolean }): Promise<void> {
    const changes = [...changed].filter((id) => followers.has(id))
    const others = progress ? [...followers.keys()].filter((id) => !changed.has(id)) : []
    const parts = chunk(changes, CHARGES_PER_STATEMENT).values()
    // Both must end before the next refresh, so that no refresh sends a state that it read before another refresh.
    const outcomes = await Promise.allSettled(
      Array.from({ length: STATEMENTS_IN_FLIGHT }, () => sendParts(parts)),
    )
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    if (others.length > 0) (await listPendingTransfers(sql, others)).forEach(sendProgress)
  }

  async function sendParts(parts: Iterable<readonly string[]>): Promise<void> {
    for (const chargeIds of parts) {
      await sendCharges(takeMarks(followers, chargeIds)).catch((error: unknown) => {
        markChanged(chargeIds)
        throw error
      })
    }
  }

  async function sendCharges(readers: ReadonlyMap<string, readonly Subscriber[]>): Promise<void> {
    const found = await findStreamedCharges(sql, [...readers.keys()])
    const pending = found.filter(({ isTransferPending }) => isTransferPending)
    // Read after the charges: a transfer credited between the two reads is no longer pending, and the next turn sends
    // its charge.
    const awaited = pending.length === 0 ? [] : await listPendingTransfers(sql, pending.map(idOf))
    for (const { charge } of found) sendCharge(charge, readers.get(charge.id) ?? [])
    awaited.forEach(sendProgress)
  }

  function sendCharge(charge: ChargeRecord, readers: readonly Subscriber[]): void {
    const data = present(charge)
    const id = ids.ofState(data)
    const isFinal = isFinalCharge(charge)
    for (const follower of readers) {
      follower.isFinal = isFinal
      if (follower.sent['charge'] !== id) clearProgress(follower)
      sendState(follower, { kind: 'charge', name: 'charge', id, data })
    }
  }

  function sendProgress(transfer: PendingTransfer): void {
    const data = JSON.stringify(presentProgress(transfer))
    const id = ids.ofState(data)
    for (const follower of followers.get(transfer.chargeId) ?? []) {
      // A follower added during this refresh must receive the charge first, in the next refresh.
      if (follower.sent['charge'] === undefined) continue
      sendState(follower, { kind: transfer.network, name: 'confirmation_progress', id, data })
    }
  }

  return { follow, markChanged, refresh }
}

/** Removes pending and sent progress, which belongs to the previous state of the charge. */
function clearProgress(follower: Subscriber): void {
  follower.sent = {}
  follower.waiting = null
}

function idOf({ charge }: StreamedCharge): string {
  return charge.id
}

/** Maximum charges read in one statement. This many charges of the largest possible size take 5 MB together. */
const CHARGES_PER_STATEMENT = 50

/** Statements in flight, so that PostgreSQL reads charges while the charges before them are sent. */
const STATEMENTS_IN_FLIGHT = 2
