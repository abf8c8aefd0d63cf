import type { EscrowAction } from '../../domain/escrow-action.ts'
import type { Db } from '../connect.ts'
import type { Refusal } from '../requests/charge-requests.ts'
import { isOrderOpen } from './executed-orders.ts'
import { isRehearsed } from './rehearsed-escrow.ts'

/** What the daemon needs to relay what the releaser signed. */
export type EscrowRequestPayload = {
  readonly chainId: number
  readonly action: EscrowAction
  /** As it was sent: the daemon verifies it again. */
  readonly signature: string
  /** The amount that is signed, in the token's units; `null` from the build before this one: the live balance. */
  readonly amountAtomic: string | null
}

/** A request that waits for the daemon; not yet looked into. */
export type OpenEscrowRequest = {
  /** `req_…` */
  readonly id: string
  readonly chargeId: string
  /** For the log. */
  readonly apiRequestId: string | null
  /** Whether the charge is of the organization that asks; the API asks for no other. */
  readonly isOfOrganization: boolean
  /** JSON, of whoever could write the row. */
  readonly payload: unknown
  /** Longer ago than an order may be executed. */
  readonly isExpired: boolean
  /** Until then it may be; by the database's clock. */
  readonly validUntil: Date
}

/** What became of a request: its transaction is mined, or why there is none. */
export type EscrowAnswer = { readonly outcome: 'mined' } | Refusal

/** Orders are open for so long (issue: escrow charges; decisions 4): what was signed is not executed hours later. */
export const ORDER_OPEN_SECONDS = 300

/**
 * Lists the requests for a chain for which nothing is signed yet, oldest first; age by the database's clock. None for a
 * rehearsed escrow, which is on no chain.
 *
 * @param query.putOff - ids that come after all others, in this order
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
    where r.kind = 'escrow_order' and r.answered_at is null and r.consumed_at is null
      and not exists (select from charges c where c.id = r.charge_id and ${isRehearsed(db)})
      and r.payload ->> 'chainId' = ${String(query.chainId)} -- As text: a cast would fail for all because of one.
    order by array_position(${[...query.putOff]}::text[], r.id) nulls first, r.created_at
    limit ${query.limit}`
}

/**
 * Takes a request for signing, if nobody has; it is no longer open from then on.
 *
 * Locks it to the end of the caller's transaction.
 */
export async function consumeEscrowRequest(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db`
    update requests set consumed_at = ${now}
    where id = ${id} and consumed_at is null and answered_at is null
      and created_at >= now() - make_interval(secs => ${ORDER_OPEN_SECONDS})
    returning id`
  return rows.length > 0
}

/**
 * What the releaser of a charge `c` has ordered and no chain shows at depth yet, as a column; null without escrow.
 *
 * At most one is: while it is open, no other is taken. It begins as a request and goes on as a row of its own when it is
 * signed. A request that nobody has taken within its time is void, whether or not a daemon is
 * there to say so.
 */
export function pendingEscrowAction(db: Db) {
  return db`
    case when c.escrow_releaser is not null and c.escrow_released_at is null and c.escrow_refunded_at is null then
      coalesce(
        (select o.action from escrow_orders o
         where o.charge_id = c.id and ${isOrderOpen(db)} limit 1),
        (select r.payload ->> 'action' from requests r
         where r.charge_id = c.id and r.kind = 'escrow_order' and r.answered_at is null
           and r.payload ->> 'action' in ('release', 'refund')
           and (r.consumed_at is not null
             or r.created_at >= now() - make_interval(secs => ${ORDER_OPEN_SECONDS}))))
    end`
}
