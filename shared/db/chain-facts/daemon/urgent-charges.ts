import type { Db } from '../../connect.ts'

/**
 * Returns the condition that a charge `c` has an incomplete settlement or payout, money in an escrow, or a held share.
 *
 * Each subquery has a limit, because PostgreSQL might execute an `exists` by reading all payouts ever made.
 */
export function isUrgent(db: Db) {
  return db`(coalesce(c.settlement_status in ('pending', 'failed'), false)
    or (c.escrow_releaser is not null and c.received_atto > 0
      and c.escrow_released_at is null and c.escrow_refunded_at is null)
    or (select true from payouts p where p.charge_id = c.id and p.status <> 'completed' limit 1) is not null
    or (select true from held_shares h where h.charge_id = c.id and h.held_atomic > 0 limit 1) is not null)`
}
