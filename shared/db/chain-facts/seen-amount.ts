import type { Fragment } from 'postgres'
import type { Db } from '../connect.ts'

/** Returns SQL for the sum of a charge's seen transfers; see `isSeen`. */
export function seenAtto(db: Db, chargeId: Fragment) {
  return db`
    (select coalesce(sum(t.amount_atto), 0) from transfers t where t.charge_id = ${chargeId} and ${isSeen(db)})`
}

/**
 * Returns the condition that a transfer `t` is in an accepted pair, and is neither credited nor orphaned. A missing
 * transfer is included, because the payer could pay twice if the page asked for its amount again.
 */
function isSeen(db: Db) {
  return db`t.accepted and t.credited_at is null and t.inclusion <> 'orphaned'`
}
