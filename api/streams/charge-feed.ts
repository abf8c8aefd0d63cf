import {
  listPendingTransfers,
  type PendingTransfer,
} from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import { type CurrentCharge, findCharges } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
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
  readonly staleAfter: StaleAfter
  readonly present: (current: CurrentCharge) => string
}

/**
 * Creates the feed. `hub.ts` calls `markChanged` for each new event in the database, then `refresh`, which reads the
 * changed charges and sends them.
 *
 * A refresh runs two statements per `CHARGES_PER_STATEMENT` charges, regardless of the number of streams and events.
 */
export function createChargeFeed({ sql, ids, staleAfter, present }: Deps): ChargeFeed {
  const followers = createSubscribers()
  const { changed, follow, markChanged } = followers

  async function refresh({ progress }: { progress: boolean }): Promise<void> {
    const changes = [...changed].filter((id) => followers.has(id))
    const others = progress ? [...followers.keys()].filter((id) => !changed.has(id)) : []
    for (const some of chunk(changes, CHARGES_PER_STATEMENT)) {
      const readers = takeMarks(followers, some)
      await sendCharges(readers).catch((error: unknown) => {
        markChanged(some)
        throw error
      })
    }
    if (others.length > 0) (await listPendingTransfers(sql, others)).forEach(sendProgress)
  }

  async function sendCharges(readers: ReadonlyMap<string, readonly Subscriber[]>): Promise<void> {
    const chargeIds = [...readers.keys()]
    const currents = await findCharges(sql, { ids: chargeIds, staleAfter })
    // Read after the charges: a transfer credited between the two reads is no longer pending, and the next turn sends
    // its charge.
    const awaited = await listPendingTransfers(sql, chargeIds)
    for (const current of currents) sendCharge(current, readers.get(current.charge.id) ?? [])
    awaited.forEach(sendProgress)
  }

  function sendCharge(current: CurrentCharge, readers: readonly Subscriber[]): void {
    const data = present(current)
    const id = ids.ofState(data)
    const isFinal = isFinalCharge(current.charge)
    for (const follower of readers) {
      follower.isFinal = isFinal
      if (follower.sent.get('charge') !== id) clearProgress(follower)
      sendState(follower, { kind: 'charge', name: 'charge', id, data })
    }
  }

  function sendProgress(transfer: PendingTransfer): void {
    const data = JSON.stringify(presentProgress(transfer))
    const id = ids.ofState(data)
    for (const follower of followers.get(transfer.chargeId) ?? []) {
      // A follower added during this refresh must receive the charge first, in the next refresh.
      if (!follower.sent.has('charge')) continue
      sendState(follower, { kind: transfer.network, name: 'confirmation_progress', id, data })
    }
  }

  return { follow, markChanged, refresh }
}

/** Removes pending and sent progress, which belongs to the previous state of the charge. */
function clearProgress({ sent, waiting }: Subscriber): void {
  sent.clear()
  waiting.clear()
}

/** Maximum charges read in one statement. This many charges of the largest possible size take 5 MB together. */
const CHARGES_PER_STATEMENT = 50
