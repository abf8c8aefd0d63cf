import type { EscrowAction } from '../../domain/escrow-action.ts'
import type { Db } from '../connect.ts'
import { ORDER_OPEN_SECONDS } from './escrow-requests.ts'

/**
 * Finds an earlier request with the same action and signature that is open, or whose transaction was signed and has
 * neither reverted nor failed; `null` if there is none. Requests are kept for a day after their response.
 */
export async function findSameOrder(
  db: Db,
  order: { readonly chargeId: string; readonly action: EscrowAction; readonly signature: string },
): Promise<string | null> {
  const isSame = db`r.kind = 'escrow_order' and r.payload ->> 'action' = ${order.action}
    and r.payload ->> 'signature' = ${order.signature}`
  const [row] = await db<{ id: string }[]>`
    select r.id from requests r
    where r.charge_id = ${order.chargeId} and r.responded_at is null and ${isSame}
      and (r.consumed_at is not null or r.created_at >= now() - make_interval(secs => ${ORDER_OPEN_SECONDS}))
    union all
    select r.id from escrow_orders o join requests r on r.id = o.request_id
    where o.charge_id = ${order.chargeId} and o.status in ('signed', 'mined', 'final') and ${isSame}
    limit 1`
  return row?.id ?? null
}
