import type { ErrorCode } from '../domain/errors.ts'
import type { EscrowAction } from '../domain/escrow-action.ts'
import type { Db } from './connect.ts'

/** What the API asks of the daemon: to relay what the releaser signed. */
export type NewEscrowRequest = {
  /** `req_…` */
  readonly id: string
  readonly organizationId: string
  readonly chargeId: string
  readonly chainId: number
  readonly action: EscrowAction
  /** As it was sent: the daemon verifies it again. */
  readonly signature: string
}

/** A request that waits for the daemon. */
export type OpenEscrowRequest = Omit<NewEscrowRequest, 'organizationId' | 'chainId'> & {
  /** Longer ago than an order may be executed. */
  readonly isExpired: boolean
}

/** What became of a request: its transaction is mined, or why there is none. */
export type EscrowAnswer =
  | { readonly outcome: 'mined' }
  | { readonly outcome: 'refused'; readonly code: ErrorCode; readonly message: string }

/** Orders are open for so long (issue: escrow charges; decisions 4): what was signed is not executed hours later. */
const OPEN_SECONDS = 300

/**
 * Asks for an order to be relayed; it is never withdrawn.
 *
 * @returns false if another order of the charge is open
 */
export async function insertEscrowRequest(db: Db, request: NewEscrowRequest): Promise<boolean> {
  const { action, chainId, signature } = request
  const rows = await db`
    insert into requests (id, kind, organization_id, charge_id, payload)
    values (${request.id}, 'escrow_order', ${request.organizationId}, ${request.chargeId},
      ${db.json({ action, chainId, signature })})
    on conflict (charge_id, kind) where answered_at is null and charge_id is not null do nothing
    returning id`
  return rows.length > 0
}

/** Finds the answer to a request, or `null` while there is none. */
export async function findEscrowAnswer(db: Db, id: string): Promise<EscrowAnswer | null> {
  const [row] = await db<{ answer: EscrowAnswer | null }[]>`select answer from requests where id = ${id}`
  return row?.answer ?? null
}

/** Lists the requests for a chain for which nothing is signed yet, oldest first; age by the database's clock. */
export async function listOpenEscrowRequests(
  db: Db,
  query: { readonly chainId: number; readonly limit: number },
): Promise<readonly OpenEscrowRequest[]> {
  return db<OpenEscrowRequest[]>`
    select r.id, r.charge_id, r.payload ->> 'action' as action, r.payload ->> 'signature' as signature,
      r.created_at < now() - make_interval(secs => ${OPEN_SECONDS}) as is_expired
    from requests r
    where r.kind = 'escrow_order' and r.answered_at is null and r.consumed_at is null
      and (r.payload ->> 'chainId')::int8 = ${query.chainId}
    order by r.created_at
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
      and created_at >= now() - make_interval(secs => ${OPEN_SECONDS})
    returning id`
  return rows.length > 0
}

/** Answers a request, once; the charge may then be ordered about again. */
export async function answerEscrowRequest(
  db: Db,
  id: string,
  { answer, now }: { readonly answer: EscrowAnswer; readonly now: Date },
): Promise<void> {
  await db`
    update requests set answer = ${db.json(answer)}, answered_at = ${now}, consumed_at = coalesce(consumed_at, ${now})
    where id = ${id} and answered_at is null`
}
