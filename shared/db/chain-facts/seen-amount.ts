import type { Fragment } from 'postgres'
import type { Db } from '../connect.ts'

/** Returns the sum of a charge's seen transfers; see `isSeen`. */
export function seenAtto(db: Db, chargeId: Fragment) {
  return db`
    (select coalesce(sum(t.amount_atto), 0) from transfers t where t.charge_id = ${chargeId} and ${isSeen(db)})`
}

/**
 * Whether a transfer `t` was seen on an accepted pair, and is neither credited nor orphaned. A missing transfer counts
 * until the nodes show that it is orphaned: requesting its amount again could make a payer pay twice.
 */
function isSeen(db: Db) {
  return db`t.accepted and t.credited_at is null and t.inclusion <> 'orphaned'`
}
