import type { Db } from '../../connect.ts'
import type { ClaimedRequest } from '../../requests/charge-requests.ts'
import { ORDER_OPEN_SECONDS } from '../escrow-requests.ts'
import { isRehearsed } from '../rehearsed-escrow.ts'

/** A releaser's unprocessed order for a rehearsed escrow (`isRehearsed`). */
export type SimulatedOrder = Omit<ClaimedRequest, 'id'> & {
  /** `req_…` */
  readonly requestId: string
  /** Whether the order is too old to be executed. */
  readonly isExpired: boolean
}

/**
 * Consumes the oldest open order for a rehearsed escrow, and locks it until the end of the caller's transaction. The
 * same transaction must execute the order and record the response, so that no consumed order is lost.
 */
export async function lockSimulatedOrder(db: Db): Promise<SimulatedOrder | undefined> {
  const [order] = await db<SimulatedOrder[]>`
    update requests set consumed_at = now()
    where id = (
      select r.id from requests r join charges c on c.id = r.charge_id and ${isRehearsed(db)}
      where r.kind = 'escrow_order' and r.responded_at is null and r.consumed_at is null
      order by r.created_at, r.id limit 1 for update of r skip locked)
    returning id as request_id, charge_id, api_request_id, payload, exists (
        select from charges c where c.id = charge_id and c.organization_id = requests.organization_id)
        as is_of_organization,
      created_at < now() - make_interval(secs => ${ORDER_OPEN_SECONDS}) as is_expired`
  return order
}
