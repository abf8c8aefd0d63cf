import type { Fragment } from 'postgres'
import type { Db } from '../connect.ts'
import { AUTHORIZATION_OPEN_SECONDS } from './authorization-requests.ts'
import { isTransferRecorded } from './authorization-row.ts'

/**
 * Returns SQL for the status of a payment by signature that might still pay a charge: the authorization's status,
 * `requested` if the daemon has not accepted the authorization yet, or null if there is no such payment. Until the
 * payment has ended, no payer may be asked for the same amount, by a signature or by a transfer (decisions 8.6).
 *
 * @param besides - id of the request that the caller decides on, which must not count against itself
 */
export function inFlightAuthorization(
  db: Db,
  { chargeId, besides = null }: { readonly chargeId: Fragment; readonly besides?: string | null },
) {
  return db`
    coalesce(
      (select a.status from authorizations a
       where a.charge_id = ${chargeId} and a.request_id is distinct from ${besides} and ${isInFlight(db)} limit 1),
      (select 'requested' from requests r
       where r.charge_id = ${chargeId} and r.kind = 'authorization' and r.responded_at is null and r.consumed_at is null
         and r.id is distinct from ${besides}
         and r.created_at >= now() - make_interval(secs => ${AUTHORIZATION_OPEN_SECONDS})))`
}

/** For each of these charges that has a payment by signature in flight, returns the status of the payment. */
export async function listInFlightAuthorizations(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly { readonly chargeId: string; readonly status: string }[]> {
  return await db<{ chargeId: string; status: string }[]>`
    select f.charge_id, f.status from (
      select c.id as charge_id, ${inFlightAuthorization(db, { chargeId: db`c.id` })} as status
      from charges c where c.id = any (${chargeIds})) f
    where f.status is not null`
}

/** Includes a payment that was mined but that our rows do not contain yet. */
function isInFlight(db: Db) {
  return db`(a.status = 'signed' or (a.status in ('mined', 'final', 'executed_externally') and not ${isTransferRecorded(db)}))`
}
