import {
  type AwaitedTransfer,
  listAwaitedTransfers,
} from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import { type CurrentCharge, findCharges } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { isFinalCharge } from '../../shared/domain/is-final-charge.ts'
import { presentProgress } from '../../shared/domain/present-progress.ts'
import type { EventStream } from './event-stream.ts'
import { createFollowers, type Follower, tell } from './follower.ts'
import { slicesOf } from './slices-of.ts'
import type { StreamIds } from './stream-ids.ts'

/** The streams of single charges, and what they have yet to be told. */
export type ChargeFeed = {
  /** Tells this stream of the charge at the next refresh, then of every change, until the charge is final. */
  readonly follow: (chargeId: string, stream: EventStream) => void
  /** Notes that something happened to these charges. */
  readonly markChanged: (chargeIds: readonly string[]) => void
  /** Tells the streams of changed charges; with `progress`, also of the confirmations of all others. */
  readonly refresh: (turn: { progress: boolean }) => Promise<void>
}

type Deps = {
  readonly sql: Sql
  readonly ids: StreamIds
  readonly staleAfter: StaleAfter
  readonly present: (current: CurrentCharge) => string
}

/**
 * Makes the feed.
 *
 * However many streams and events there are, a refresh is two statements for each so many charges.
 */
export function createChargeFeed({ sql, ids, staleAfter, present }: Deps): ChargeFeed {
  const followers = createFollowers()
  const changed = new Set<string>()

  function follow(chargeId: string, stream: EventStream): void {
    followers.add(chargeId, stream)
    changed.add(chargeId)
  }

  async function refresh({ progress }: { progress: boolean }): Promise<void> {
    const changes = [...changed].filter((id) => followers.has(id))
    const others = progress ? [...followers.keys()].filter((id) => !changed.has(id)) : []
    for (const some of slicesOf(changes, CHARGES_PER_STATEMENT)) {
      const currents = await findCharges(sql, { ids: some, staleAfter })
      // After the charges: a transfer credited in between awaits nothing, and its charge is told of in the next turn.
      const awaited = await listAwaitedTransfers(sql, some)
      for (const id of some) changed.delete(id)
      currents.forEach(tellCharge)
      awaited.forEach(tellProgress)
    }
    if (others.length > 0) (await listAwaitedTransfers(sql, others)).forEach(tellProgress)
  }

  function tellCharge(current: CurrentCharge): void {
    const data = present(current)
    const id = ids.ofState(data)
    const isFinal = isFinalCharge(current.charge)
    for (const follower of followers.get(current.charge.id) ?? []) {
      follower.isFinal = isFinal
      if (follower.told.get('charge') !== id) forgetProgress(follower)
      tell(follower, { kind: 'charge', name: 'charge', id, data })
    }
  }

  function tellProgress(transfer: AwaitedTransfer): void {
    const data = JSON.stringify(presentProgress(transfer))
    const id = ids.ofState(data)
    for (const follower of followers.get(transfer.chargeId) ?? []) {
      // Who came while this refresh was reading is told of the charge first, by the next one.
      if (!follower.told.has('charge')) continue
      tell(follower, { kind: transfer.network, name: 'confirmation_progress', id, data })
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

/** Progress that waits or was told belongs to the charge as it was before. */
function forgetProgress({ told, waiting }: Follower): void {
  told.clear()
  waiting.clear()
}

/** Charges read in one statement: the largest are 5 MB together. */
const CHARGES_PER_STATEMENT = 50
