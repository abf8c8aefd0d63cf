import type { Address, Hex } from '../../domain/address.ts'
import type { WrittenAuthorization } from '../../domain/parse-authorization.ts'
import type { Db } from '../connect.ts'
import type { Refusal } from '../requests/charge-requests.ts'

/** What the daemon needs to carry out what a payer signed; all as it was written, for the daemon reads it again. */
export type AuthorizationRequestPayload = WrittenAuthorization & {
  readonly chainId: number
  readonly token: Address
}

/** A request that waits for the daemon; not yet looked into, or shown to a node and not yet signed for. */
export type OpenAuthorizationRequest = {
  /** `req_…` */
  readonly id: string
  readonly chargeId: string
  /** For the log. */
  readonly apiRequestId: string | null
  /** Whether the charge is of the organization that asks; the API asks for no other. */
  readonly isOfOrganization: boolean
  /** JSON, of whoever could write the row. */
  readonly payload: unknown
  /** Nobody waits for it any more, and no node has seen its signature. */
  readonly isExpired: boolean
  /** A node may have seen its signature: its authorization is written down, and it is over only with that. */
  readonly isShown: boolean
}

/** What became of a request: the transaction that is mined, ours or somebody else's; or why there is none. */
export type AuthorizationAnswer = { readonly outcome: 'mined'; readonly txHash: Hex } | Refusal

/** No node is shown a signature after this long: whoever asked has been answered, and its payer may have signed anew. */
export const AUTHORIZATION_OPEN_SECONDS = 60

/**
 * Takes the requests for a chain for which nothing is signed yet, to look at them: of each organization in turn the one not looked
 * at for longest, so that none has another one's wait, and what cannot go on keeps no newer one waiting. Those that were shown
 * come again after so many seconds, and ever later. Age by the database's clock.
 */
export async function takeOpenAuthorizationRequests(
  db: Db,
  query: { readonly chainId: number; readonly limit: number; readonly retrySeconds: number },
): Promise<readonly OpenAuthorizationRequest[]> {
  return db<OpenAuthorizationRequest[]>`
    with due as (
      select r.id, r.charge_id, r.api_request_id, r.payload, r.looked_at, r.created_at, exists (
          select from charges c where c.id = r.charge_id and c.organization_id = r.organization_id) as is_of_organization,
        r.consumed_at is null
          and r.created_at < now() - make_interval(secs => ${AUTHORIZATION_OPEN_SECONDS}) as is_expired,
        r.consumed_at is not null as is_shown,
        row_number() over (partition by r.organization_id order by r.looked_at nulls first, r.created_at) as turn
      from requests r
      left join authorizations a on a.request_id = r.id
      where r.kind = 'authorization' and r.answered_at is null
        and r.payload ->> 'chainId' = ${String(query.chainId)} -- As text: a cast would fail for all because of one.
        and (r.consumed_at is null or (a.status = 'signed' and a.relayer is null and a.tx_hash is null
          and ${isDueAgain(db, query.retrySeconds)}))
      order by turn, r.looked_at nulls first, r.created_at
      limit ${query.limit}),
    looked as (
      update requests set looked_at = now()
      where id = any (array(select id from requests where id in (select id from due) for update skip locked)))
    select id, charge_id, api_request_id, payload, is_of_organization, is_expired, is_shown from due
    order by turn, looked_at nulls first, created_at`
}

/** For each so many seconds that it was tried for when it was tried last, the pause is longer by the shortest one. */
const PAUSE_GROWS_SECONDS = 12

/**
 * The condition that a request `r`, whose authorization `a` was shown, is to be tried again. Each try costs nodes that payouts share
 * a dozen requests: what fails for its fifteen minutes is tried some 25 times, and not 300.
 */
function isDueAgain(db: Db, retrySeconds: number) {
  return db`
    r.consumed_at < now() - make_interval(secs => ${retrySeconds})
      * (1 + extract(epoch from r.consumed_at - a.created_at) / ${PAUSE_GROWS_SECONDS}::int)::float8`
}

/**
 * Takes a request, if nobody has and it is not withdrawn; locks it to the end of the caller's transaction. From then on nobody
 * withdraws it.
 */
export async function consumeAuthorizationRequest(db: Db, id: string): Promise<boolean> {
  const rows = await db`
    update requests set consumed_at = now()
    where id = ${id} and consumed_at is null and answered_at is null
      and created_at >= now() - make_interval(secs => ${AUTHORIZATION_OPEN_SECONDS})
    returning id`
  return rows.length > 0
}

/**
 * Answers why a request is not carried out, if it is not consumed yet: once another daemon has shown its signature, that is in
 * flight, and nothing that is found out here is an answer to it.
 *
 * @returns whether it is answered by this call
 */
export async function refuseAuthorizationRequest(db: Db, id: string, answer: Refusal): Promise<boolean> {
  const rows = await db`
    update requests set answer = ${db.json(answer as never)}, answered_at = now(), consumed_at = now()
    where id = ${id} and consumed_at is null and answered_at is null
    returning id`
  return rows.length > 0
}

/** Takes a request that was shown once more, if its pause is over. */
export async function retakeAuthorizationRequest(
  db: Db,
  { id, retrySeconds }: { readonly id: string; readonly retrySeconds: number },
): Promise<boolean> {
  const rows = await db`
    update requests r set consumed_at = now() from authorizations a
    where r.id = ${id} and a.request_id = r.id and r.answered_at is null and ${isDueAgain(db, retrySeconds)}
    returning r.id`
  return rows.length > 0
}

/**
 * Answers the requests that no daemon serves, once they are older than this: their signatures are kept no longer, and others
 * can be brought for their charges.
 */
export async function endUnservedAuthorizationRequests(db: Db, olderThanSeconds: number): Promise<number> {
  const answer: Refusal = {
    ...{ outcome: 'refused', code: 'service_unavailable' },
    message: 'nobody has seen to the signature',
  }
  const rows = await db`
    update requests set answer = ${db.json(answer as never)}, answered_at = now()
    where kind = 'authorization' and consumed_at is null and answered_at is null
      and created_at < now() - make_interval(secs => ${olderThanSeconds})
    returning id`
  return rows.length
}

/** Which authorization it is: spent once, on one chain, for ever. */
export type AuthorizationKey = {
  readonly chainId: number
  readonly token: Address
  readonly payer: Address
  readonly nonce: Hex
}

/** Finds the open request of a charge that asks for this very authorization; `null` if there is none. */
export async function findOpenAuthorizationRequest(
  db: Db,
  { chargeId, key }: { readonly chargeId: string; readonly key: AuthorizationKey },
): Promise<string | null> {
  const [row] = await db<{ id: string }[]>`
    select id from requests
    where charge_id = ${chargeId} and kind = 'authorization' and answered_at is null
      and payload ->> 'chainId' = ${String(key.chainId)} and payload ->> 'token' = ${key.token}
      and payload ->> 'from' = ${key.payer} and payload ->> 'nonce' = ${key.nonce}`
  return row?.id ?? null
}
