import type { Db } from '../connect.ts'
import { ORDER_OPEN_SECONDS } from './escrow-requests.ts'

/**
 * What the releaser of a charge `c` has ordered and no chain shows at depth yet, as a column; null without escrow.
 *
 * At most one is: while it is under way, and once it is final, no other is taken. It begins as a request and goes on as a
 * row of its own when it is signed. A request that nobody has taken within its time is void, whether or not a daemon is
 * there to say so.
 */
export function pendingEscrowAction(db: Db) {
  return db`
    case when c.escrow_releaser is not null and c.escrow_released_at is null and c.escrow_refunded_at is null then
      coalesce(
        (select o.action from escrow_orders o
         where o.charge_id = c.id and o.status in ('signed', 'mined', 'final') limit 1),
        (select r.payload ->> 'action' from requests r
         where r.charge_id = c.id and r.kind = 'escrow_order' and r.answered_at is null
           and r.payload ->> 'action' in ('release', 'refund')
           and (r.consumed_at is not null
             or r.created_at >= now() - make_interval(secs => ${ORDER_OPEN_SECONDS}))))
    end`
}
