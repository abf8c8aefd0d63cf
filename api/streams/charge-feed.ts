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

/** The streams of single charges, and the charges with updates to send. */
export type ChargeFeed = Pick<Subscribers, 'follow' | 'markChanged'> & {
  /** Sends changed charges to their streams; with `progress`, also the pending transfers of all other charges. */
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
 * Per `CHARGES_PER_STATEMENT` changed charges, a refresh runs one statement, and a second if any of them has a pending
 * transfer. The number of streams and events does not matter.
 */
export function createChargeFeed({ sql, ids, present }: Deps): ChargeFeed {
  const followers = createSubscribers()
  const { changed, follow, markChanged } = followers

  async function refresh({ progress }: { progress: boolean }): Promise<void> {
    const changes = [...changed].filter((id) => followers.has(id))
    const others = progress ? [...followers.keys()].filter((id) => !changed.has(id)) : []
    const parts = chunk(changes, CHARGES_PER_STATEMENT).values()
    // Wait for both calls even if one fails, so that none sends an outdated charge after the next refresh.
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
    // After the charges: a transfer credited between the two reads is no longer listed, and the next refresh sends its
    // charge. In the opposite order, outdated progress would follow the credited charge.
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
      // This follower was added during the refresh. The next refresh sends it the charge, which must come first.
      if (follower.sent['charge'] === undefined) continue
      sendState(follower, { kind: transfer.network, name: 'confirmation_progress', id, data })
    }
  }

  return { follow, markChanged, refresh }
}

/** Discards the follower's waiting frames, and the ids of frames that were sent for the charge's previous state. */
function clearProgress(follower: Subscriber): void {
  follower.sent = {}
  follower.waiting = null
}

function idOf({ charge }: StreamedCharge): string {
  return charge.id
}

/** Maximum charges per statement; 5 MB if all have the maximum size. */
const CHARGES_PER_STATEMENT = 50

/** Two, so that PostgreSQL reads the next charges while this process sends the previous ones. */
const STATEMENTS_IN_FLIGHT = 2
