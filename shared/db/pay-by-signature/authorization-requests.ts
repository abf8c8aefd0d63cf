import type { Address, Hex } from '../../domain/address.ts'
import type { RawAuthorization } from '../../domain/eip3009/parse-authorization.ts'
import type { Db } from '../connect.ts'
import type { ClaimedRequest, RequestError } from '../requests/charge-requests.ts'

/** The payer's signed authorization as submitted. The daemon parses the values again. */
export type AuthorizationRequestPayload = RawAuthorization & {
  readonly chainId: number
  readonly token: Address
}

/**
 * A request that the daemon has not processed yet, or whose signature was sent to a node but is not executed by a
 * transaction yet.
 */
export type OpenAuthorizationRequest = ClaimedRequest & {
  /**
   * Whether the request is too old: no node has received its signature, and no caller waits for the response any
   * longer.
   */
  readonly isExpired: boolean
  /**
   * Whether a node might have received the signature. If so, the authorization is recorded, and the request ends only
   * when the authorization ends.
   */
  readonly isShown: boolean
}

/** Response to a request: the mined transaction, from any sender, or the reason why there is none. */
export type AuthorizationResult = { readonly outcome: 'mined'; readonly txHash: Hex } | RequestError

/**
 * Time after which an unsent signature may no longer be sent to a node, because the caller already has its response and
 * the payer might have signed again.
 */
export const AUTHORIZATION_OPEN_SECONDS = 60

/**
 * Lists the due requests of a chain that have no transaction yet, and records the time of this attempt. The
 * organizations take turns, each with its least recently tried request first, so that no organization delays another,
 * and requests that cannot proceed do not delay newer ones. Requests whose signature was sent to a node are retried
 * after `retrySeconds`, with growing pauses. Ages are by the database's clock.
 */
export async function lockOpenAuthorizationRequests(
  db: Db,
  query: { readonly chainId: number; readonly limit: number; readonly retrySeconds: number },
): Promise<readonly OpenAuthorizationRequest[]> {
  return db<OpenAuthorizationRequest[]>`
    with due as (
      select r.id, r.charge_id, r.api_request_id, r.payload, r.last_checked_at, r.created_at, exists (
          select from charges c where c.id = r.charge_id and c.organization_id = r.organization_id) as is_of_organization,
        r.consumed_at is null
          and r.created_at < now() - make_interval(secs => ${AUTHORIZATION_OPEN_SECONDS}) as is_expired,
        r.consumed_at is not null as is_shown,
        row_number() over (partition by r.organization_id order by r.last_checked_at nulls first, r.created_at) as turn
      from requests r
      left join authorizations a on a.request_id = r.id
      where r.kind = 'authorization' and r.responded_at is null
        and r.payload ->> 'chainId' = ${String(query.chainId)} -- Compared as text, because one invalid row would make a cast fail for all rows.
        and (r.consumed_at is null or (a.status = 'signed' and a.relayer is null and a.tx_hash is null
          and ${isDueAgain(db, query.retrySeconds)}))
      order by turn, r.last_checked_at nulls first, r.created_at
      limit ${query.limit}),
    looked as (
      update requests set last_checked_at = now()
      where id = any (array(select id from requests where id in (select id from due) for update skip locked)))
    select id, charge_id, api_request_id, payload, is_of_organization, is_expired, is_shown from due
    order by turn, last_checked_at nulls first, created_at`
}

/** The pause grows by `retrySeconds` for each of these spans between the first and the last attempt. */
const PAUSE_GROWS_SECONDS = 12

/**
 * Returns the condition that a request `r`, whose authorization `a` was sent to a node, is due for a retry. Each
 * attempt costs a dozen requests to nodes that payouts also use. With growing pauses, a request that fails during its
 * entire fifteen minutes is tried about 20 times instead of 300.
 */
function isDueAgain(db: Db, retrySeconds: number) {
  return db`
    r.consumed_at < now() - make_interval(secs => ${retrySeconds})
      * (1 + extract(epoch from r.consumed_at - a.created_at) / ${PAUSE_GROWS_SECONDS}::int)::float8`
}

/**
 * Consumes a request, unless it is consumed, canceled, or older than `AUTHORIZATION_OPEN_SECONDS`, and locks it until
 * the end of the caller's transaction. Afterwards, it cannot be canceled. Returns whether this call consumed the
 * request.
 */
export async function consumeAuthorizationRequest(db: Db, id: string): Promise<boolean> {
  const { count } = await db`
    update requests set consumed_at = now()
    where id = ${id} and consumed_at is null and responded_at is null
      and created_at >= now() - make_interval(secs => ${AUTHORIZATION_OPEN_SECONDS})`
  return count > 0
}

/**
 * Rejects a request if it is not consumed yet. If another daemon has sent its signature to a node, the authorization is
 * in flight, and a problem that this daemon finds must not end the request.
 *
 * @returns whether this call rejected the request
 */
export async function rejectAuthorizationRequest(
  db: Db,
  id: string,
  response: RequestError,
): Promise<boolean> {
  const { count } = await db`
    update requests set response = ${db.json(response as never)}, responded_at = now(), consumed_at = now()
    where id = ${id} and consumed_at is null and responded_at is null`
  return count > 0
}

/**
 * Consumes a request again if its signature was sent to a node and its pause is over. Returns whether this call
 * consumed it.
 */
export async function relockAuthorizationRequest(
  db: Db,
  { id, retrySeconds }: { readonly id: string; readonly retrySeconds: number },
): Promise<boolean> {
  const { count } = await db`
    update requests r set consumed_at = now() from authorizations a
    where r.id = ${id} and a.request_id = r.id and r.responded_at is null and ${isDueAgain(db, retrySeconds)}`
  return count > 0
}

/**
 * Rejects the requests that no daemon processed within this time. Their signatures are then deleted, and their charges
 * accept other signatures. Returns the number of rejected requests.
 */
export async function expireUnservedAuthorizationRequests(db: Db, olderThanSeconds: number): Promise<number> {
  const response: RequestError = {
    ...{ outcome: 'refused', code: 'service_unavailable' },
    message: 'no daemon has processed the signature',
  }
  const { count } = await db`
    update requests set response = ${db.json(response as never)}, responded_at = now()
    where kind = 'authorization' and consumed_at is null and responded_at is null
      and created_at < now() - make_interval(secs => ${olderThanSeconds})`
  return count
}

/** Identity of an authorization, which can be used once, on one chain. */
export type AuthorizationKey = {
  readonly chainId: number
  readonly token: Address
  readonly payer: Address
  readonly nonce: Hex
}

/** Finds the open request of a charge for this authorization. */
export async function findOpenAuthorizationRequest(
  db: Db,
  { chargeId, key }: { readonly chargeId: string; readonly key: AuthorizationKey },
): Promise<string | null> {
  const [row] = await db<{ id: string }[]>`
    select id from requests
    where charge_id = ${chargeId} and kind = 'authorization' and responded_at is null
      and payload ->> 'chainId' = ${String(key.chainId)} and payload ->> 'token' = ${key.token}
      and payload ->> 'from' = ${key.payer} and payload ->> 'nonce' = ${key.nonce}`
  return row?.id ?? null
}
