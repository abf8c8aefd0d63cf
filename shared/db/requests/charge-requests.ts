import type { ErrorCode } from '../../domain/errors.ts'
import type { Db } from '../connect.ts'

/** Kind of a request from the API to the daemon. A charge has at most one open request of each kind. */
export type ChargeRequestKind = 'check' | 'sandbox_trigger' | 'escrow_order' | 'authorization' | 'refund'

export type NewChargeRequest = {
  /** `req_…` */
  readonly id: string
  readonly kind: ChargeRequestKind
  readonly organizationId: string
  readonly chargeId: string
  /** The `Request-Id` of the API caller's request; a UUID. */
  readonly apiRequestId: string
  /** Input for the daemon, as JSON. The daemon validates all of it. */
  readonly payload: Readonly<Record<string, unknown>>
}

/** A request that the daemon has consumed and not yet validated. */
export type ClaimedRequest = {
  readonly id: string
  readonly organizationId: string
  readonly chargeId: string
  /** The request id that is recorded in logs and in the resulting events. */
  readonly apiRequestId: string | null
  /** Whether the charge belongs to the requesting organization. This is true for every request that the API creates. */
  readonly isOfOrganization: boolean
  /** Untrusted JSON, because any role with access to the table could have written the row. */
  readonly payload: unknown
}

/** Rejection of a request: the error that the API returns to the caller. */
export type RequestError = {
  readonly outcome: 'refused'
  readonly code: ErrorCode
  readonly message: string
  readonly param?: string
}

/** Response to a request that the API cannot have created. Such a request has no effect. */
export const INVALID_REQUEST_ERROR: RequestError = {
  outcome: 'refused',
  code: 'validation_error',
  message: 'the request is not valid for this charge',
}

/**
 * Inserts a request and notifies the daemon.
 *
 * @returns false if the charge already has an open request of that kind
 */
export async function insertChargeRequest(db: Db, request: NewChargeRequest): Promise<boolean> {
  const { id, kind, organizationId, chargeId, apiRequestId, payload } = request
  const rows = await db`
    with asked as (
      insert into requests (id, kind, organization_id, charge_id, api_request_id, payload)
      values (${id}, ${kind}, ${organizationId}, ${chargeId}, ${apiRequestId}, ${db.json(payload as never)})
      on conflict (charge_id, kind) where responded_at is null and charge_id is not null do nothing
      returning kind)
    select pg_notify('svc_requests', kind) from asked`
  return rows.length > 0
}

/** Finds the response to a request; `null` if the request has no response yet, or does not exist. */
export async function findRequestResponse<Result>(db: Db, id: string): Promise<Result | null> {
  const [row] = await db<{ response: Result | null }[]>`select response from requests where id = ${id}`
  return row?.response ?? null
}

/** Deletes a request. Returns false if the daemon has already consumed it, or if it does not exist. */
export async function cancelRequest(db: Db, id: string): Promise<boolean> {
  const [row] = await db<[{ isWithdrawn: boolean }]>`select cancel_request(${id}) as is_withdrawn`
  return row.isWithdrawn
}

/**
 * Consumes open requests of a kind, oldest first. The API can then no longer cancel them.
 *
 * A request without a response after `leaseSeconds` is consumed again, so processing must be idempotent. If one
 * transaction consumes and processes a request and records the response, the request is processed exactly once.
 */
export async function claimChargeRequests(
  db: Db,
  query: { readonly kind: ChargeRequestKind; readonly limit: number; readonly leaseSeconds: number },
): Promise<readonly ClaimedRequest[]> {
  // Uses an array, because a nested loop would run the limited subquery once per row, and lock more rows each time.
  return db<ClaimedRequest[]>`
    update requests set consumed_at = now()
    where id = any (array(
      select r.id from requests r
      where r.kind = ${query.kind} and r.responded_at is null
        and (r.consumed_at is null or r.consumed_at < now() - make_interval(secs => ${query.leaseSeconds}))
      order by r.created_at, r.id limit ${query.limit} for update skip locked))
    returning id, organization_id, charge_id, api_request_id, payload, exists (
      select from charges c where c.id = charge_id and c.organization_id = requests.organization_id)
      as is_of_organization`
}

/** Maximum requests in progress for one organization, and the current number by organization. */
export type Shares = {
  readonly mostOfOrganization: number
  readonly inProgress: ReadonlyMap<string, number>
}

/**
 * Consumes open requests of a kind like `claimChargeRequests`, but gives each organization at most `mostOfOrganization`
 * requests in progress. Every organization's first request comes before any organization's second request. Requests in
 * progress count as earlier requests.
 */
export async function claimRequestsInShares(
  db: Db,
  query: Parameters<typeof claimChargeRequests>[1],
  { mostOfOrganization, inProgress }: Shares,
): Promise<readonly ClaimedRequest[]> {
  const isOpen = db`responded_at is null
    and (consumed_at is null or consumed_at < now() - make_interval(secs => ${query.leaseSeconds}))`
  return db<ClaimedRequest[]>`
    update requests set consumed_at = now()
    where id = any (array(
      select id from requests join (
        select o.id, coalesce(b.count, 0)
          + row_number() over (partition by o.organization_id order by o.created_at, o.id) as place
        from requests o
        left join unnest(${[...inProgress.keys()]}::text[], ${[...inProgress.values()]}::int[]) b (organization_id, count)
          on b.organization_id = o.organization_id
        where o.kind = ${query.kind} and ${isOpen}) placed using (id)
      where place <= ${mostOfOrganization} and ${isOpen}
      order by place, created_at, id limit ${query.limit} for update of requests skip locked))
    returning id, organization_id, charge_id, api_request_id, payload, exists (
      select from charges c where c.id = charge_id and c.organization_id = requests.organization_id)
      as is_of_organization`
}

/** Records the response to a request, unless it has one. The charge may then have another request of the same kind. */
export async function respondToRequest(db: Db, id: string, response: unknown): Promise<void> {
  await db`
    update requests set response = ${db.json(response as never)}, responded_at = now(),
      consumed_at = coalesce(consumed_at, now())
    where id = ${id} and responded_at is null`
}

/** Deletes requests whose response is older than `keptSeconds`. No caller waits for their responses any longer. */
export async function deleteCompletedRequests(
  db: Db,
  { keptSeconds, limit }: { readonly keptSeconds: number; readonly limit: number },
): Promise<number> {
  const { count } = await db`
    delete from requests where id in (
      select id from requests where responded_at < now() - make_interval(secs => ${keptSeconds}) limit ${limit})`
  return count
}
