import type { Db } from '../../connect.ts'
import { ORDER_OPEN_SECONDS } from '../escrow-requests.ts'
import { isRehearsed } from '../rehearsed-escrow.ts'

/** A releaser's order for a rehearsed escrow; not yet looked into. */
export type SimulatedOrder = {
  /** `req_…` */
  readonly requestId: string
  readonly chargeId: string
  /** For the log, and the events it leads to. */
  readonly apiRequestId: string | null
  /** Whether the charge is of the organization that asks; the API asks for no other. */
  readonly isOfOrganization: boolean
  /** JSON, of whoever could write the row. */
  readonly payload: unknown
  /** Longer ago than an order may be executed, by the database's clock. */
  readonly isExpired: boolean
}

/**
 * Takes the oldest open order for a rehearsed escrow, and locks it to the end of the caller's transaction, which also
 * does and answers it: so no taker is ever lost in between.
 */
export async function takeSimulatedOrder(db: Db): Promise<SimulatedOrder | undefined> {
  const [order] = await db<SimulatedOrder[]>`
    update requests set consumed_at = now()
    where id = (
      select r.id from requests r join charges c on c.id = r.charge_id and ${isRehearsed(db)}
      where r.kind = 'escrow_order' and r.answered_at is null and r.consumed_at is null
      order by r.created_at, r.id limit 1 for update of r skip locked)
    returning id as request_id, charge_id, api_request_id, payload, exists (
        select from charges c where c.id = charge_id and c.organization_id = requests.organization_id)
        as is_of_organization,
      created_at < now() - make_interval(secs => ${ORDER_OPEN_SECONDS}) as is_expired`
  return order
}
