import type { EscrowAction } from '../../domain/escrow-action.ts'
import type { Db } from '../connect.ts'
import type { ClaimedRequest, RequestError } from '../requests/charge-requests.ts'
import { isOrderOpen } from './executed-orders.ts'
import { isRehearsed } from './rehearsed-escrow.ts'

export type EscrowRequestPayload = {
  readonly chainId: number
  readonly action: EscrowAction
  /** The signature as submitted. The daemon verifies it again. */
  readonly signature: string
  /**
   * The signed amount, in the token's atomic units. `null` in a request of the previous build, where it means the live
   * balance.
   */
  readonly amountAtomic: string | null
}

/** A request that the daemon has not processed yet. */
export type OpenEscrowRequest = ClaimedRequest & {
  /** Whether the order is too old to be executed. */
  readonly isExpired: boolean
  /** End of the order's validity, by the database's clock. */
  readonly validUntil: Date
}

/** Response to a request: its transaction is mined, or the reason why it is not. */
export type EscrowResult = { readonly outcome: 'mined' } | RequestError

/** Time for which an order stays open, so that no signed order is executed hours later (decisions 4). */
export const ORDER_OPEN_SECONDS = 300

/**
 * Lists the requests of a chain that have no signed transaction yet, oldest first. Excludes requests for a rehearsed
 * escrow, which is on no chain.
 *
 * @param query.putOff - ids that are listed after all others, in this order
 */
export async function listOpenEscrowRequests(
  db: Db,
  query: { readonly chainId: number; readonly limit: number; readonly putOff: readonly string[] },
): Promise<readonly OpenEscrowRequest[]> {
  return db<OpenEscrowRequest[]>`
    select r.id, r.charge_id, r.api_request_id, r.payload, exists (
        select from charges c where c.id = r.charge_id and c.organization_id = r.organization_id) as is_of_organization,
      r.created_at < now() - make_interval(secs => ${ORDER_OPEN_SECONDS}) as is_expired,
      r.created_at + make_interval(secs => ${ORDER_OPEN_SECONDS}) as valid_until
    from requests r
    where r.kind = 'escrow_order' and r.responded_at is null and r.consumed_at is null
      and not exists (select from charges c where c.id = r.charge_id and ${isRehearsed(db)})
      and r.payload ->> 'chainId' = ${String(query.chainId)} -- Compared as text, because one invalid row would make a cast fail for all rows.
    order by array_position(${[...query.putOff]}::text[], r.id) nulls first, r.created_at
    limit ${query.limit}`
}

/**
 * Consumes an open request, and locks it until the end of the caller's transaction. Returns whether this call consumed
 * it.
 */
export async function consumeEscrowRequest(db: Db, id: string, now: Date): Promise<boolean> {
  const { count } = await db`
    update requests set consumed_at = ${now}
    where id = ${id} and consumed_at is null and responded_at is null
      and created_at >= now() - make_interval(secs => ${ORDER_OPEN_SECONDS})`
  return count > 0
}

/**
 * Returns SQL for the releaser's pending action on a charge `c`: ordered, but not yet counted at confirmation depth.
 * Null without escrow, and after the escrow's end.
 *
 * At most one order is open at a time. It starts as a row of `requests` and gets a row of `escrow_orders` when it is
 * signed. A request that was not consumed in time is void, even if no daemon has recorded this.
 */
export function selectPendingEscrowAction(db: Db) {
  return db`
    case when c.escrow_releaser is not null and c.escrow_released_at is null and c.escrow_refunded_at is null then
      coalesce(
        (select o.action from escrow_orders o
         where o.charge_id = c.id and ${isOrderOpen(db)} limit 1),
        (select r.payload ->> 'action' from requests r
         where r.charge_id = c.id and r.kind = 'escrow_order' and r.responded_at is null
           and r.payload ->> 'action' in ('release', 'refund')
           and (r.consumed_at is not null
             or r.created_at >= now() - make_interval(secs => ${ORDER_OPEN_SECONDS}))))
    end`
}
