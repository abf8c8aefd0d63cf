import type { ErrorCode } from '../../domain/errors.ts'
import type { Db } from '../connect.ts'

/** What the API can ask of the daemon about one charge; of each kind, one request of a charge is open at a time. */
export type ChargeRequestKind = 'check' | 'sandbox_trigger' | 'escrow_order' | 'authorization'

/** A request as the API makes it. */
export type NewChargeRequest = {
  /** `req_…` */
  readonly id: string
  readonly kind: ChargeRequestKind
  readonly organizationId: string
  readonly chargeId: string
  /** The `Request-Id` of whoever asks the API; a UUID. */
  readonly apiRequestId: string
  /** What the daemon needs to know, as JSON; it believes none of it without looking for itself. */
  readonly payload: Readonly<Record<string, unknown>>
}

/** A request that the daemon has taken; not yet looked into. */
export type TakenRequest = {
  readonly id: string
  readonly chargeId: string
  /** For the log, and the events it leads to. */
  readonly apiRequestId: string | null
  /** Whether the charge is of the organization that asks; the API asks for no other. */
  readonly isOfOrganization: boolean
  /** JSON, of whoever could write the row. */
  readonly payload: unknown
}

/** Why a request was not done: the error that the API's caller gets. */
export type Refusal = {
  readonly outcome: 'refused'
  readonly code: ErrorCode
  readonly message: string
  readonly param?: string
}

/** The answer to a request that the API cannot have made; nothing was done. */
export const FORGED: Refusal = {
  outcome: 'refused',
  code: 'validation_error',
  message: 'the request is none that this charge can have',
}

/**
 * Asks the daemon, and wakes it.
 *
 * @returns false if another request of that kind is open for the charge
 */
export async function insertChargeRequest(db: Db, request: NewChargeRequest): Promise<boolean> {
  const { id, kind, organizationId, chargeId, apiRequestId, payload } = request
  const rows = await db`
    with asked as (
      insert into requests (id, kind, organization_id, charge_id, api_request_id, payload)
      values (${id}, ${kind}, ${organizationId}, ${chargeId}, ${apiRequestId}, ${db.json(payload as never)})
      on conflict (charge_id, kind) where answered_at is null and charge_id is not null do nothing
      returning kind)
    select pg_notify('svc_requests', kind) from asked`
  return rows.length > 0
}

/** Finds the answer to a request, or `null` while there is none. */
export async function findRequestAnswer<Answer>(db: Db, id: string): Promise<Answer | null> {
  const [row] = await db<{ answer: Answer | null }[]>`select answer from requests where id = ${id}`
  return row?.answer ?? null
}

/** Takes back a request that the daemon has not begun; false if it has, or has answered. */
export async function withdrawRequest(db: Db, id: string): Promise<boolean> {
  const [row] = await db<[{ isWithdrawn: boolean }]>`select withdraw_request(${id}) as is_withdrawn`
  return row.isWithdrawn
}

/**
 * Takes open requests of a kind, oldest first; the API can then no longer withdraw them.
 *
 * A request whose taker has not answered for `leaseSeconds` has lost him, and is taken again: doing it twice must do
 * no harm. Taken in the transaction that also does and answers it, it is done once.
 */
export async function takeChargeRequests(
  db: Db,
  query: { readonly kind: ChargeRequestKind; readonly limit: number; readonly leaseSeconds: number },
): Promise<readonly TakenRequest[]> {
  // By an array: a nested loop would look into a limited list once for each row, and each time take as many again.
  return db<TakenRequest[]>`
    update requests set consumed_at = now()
    where id = any (array(
      select r.id from requests r
      where r.kind = ${query.kind} and r.answered_at is null
        and (r.consumed_at is null or r.consumed_at < now() - make_interval(secs => ${query.leaseSeconds}))
      order by r.created_at, r.id limit ${query.limit} for update skip locked))
    returning id, charge_id, api_request_id, payload, exists (
      select from charges c where c.id = charge_id and c.organization_id = requests.organization_id)
      as is_of_organization`
}

/** Answers a request, once; the charge may then be asked about again. */
export async function answerRequest(db: Db, id: string, answer: unknown): Promise<void> {
  await db`
    update requests set answer = ${db.json(answer as never)}, answered_at = now(), consumed_at = coalesce(consumed_at, now())
    where id = ${id} and answered_at is null`
}

/** Forgets requests that were answered long ago: nobody waits for their answers. */
export async function deleteAnsweredRequests(
  db: Db,
  { keptSeconds, limit }: { readonly keptSeconds: number; readonly limit: number },
): Promise<number> {
  const rows = await db`
    delete from requests where id in (
      select id from requests where answered_at < now() - make_interval(secs => ${keptSeconds}) limit ${limit})
    returning id`
  return rows.length
}
