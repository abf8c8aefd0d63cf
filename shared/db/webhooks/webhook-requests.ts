import type { Environment } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'

/** A request from the API to the daemon: another attempt of a delivery, or a test of an endpoint. */
export type WebhookRequest = {
  readonly id: string
  readonly kind: 'delivery_retry' | 'webhook_test'
  readonly organizationId: string
  /** Id of the delivery or webhook: `dl_…` or `wh_…`. */
  readonly subjectId: string
  /** The `Request-Id` of the API request; a UUID. */
  readonly apiRequestId: string
  readonly payload: { readonly environment: Environment }
}

/**
 * A request as the daemon reads it. The payload is untrusted, because any role with access to the table could have
 * written the row.
 */
export type ClaimedWebhookRequest = Omit<WebhookRequest, 'payload' | 'apiRequestId'> & {
  readonly apiRequestId: string | null
  readonly payload: unknown
  readonly createdAt: Date
}

/** Inserts a request for the daemon, and returns its creation time. */
export async function insertWebhookRequest(db: Db, request: WebhookRequest): Promise<Date> {
  const [row] = await db<[{ createdAt: Date }]>`
    insert into requests (id, kind, organization_id, subject_id, api_request_id, payload)
    values (${request.id}, ${request.kind}, ${request.organizationId}, ${request.subjectId}, ${request.apiRequestId},
      ${db.json(request.payload)})
    returning created_at`
  return row.createdAt
}

/**
 * Locks open requests about webhooks, oldest first, for the transaction that processes them. A request to retry a
 * delivery is skipped while an attempt of the delivery is in flight.
 */
export async function claimWebhookRequests(
  db: Db,
  { now, limit }: { now: Date; limit: number },
): Promise<readonly ClaimedWebhookRequest[]> {
  return await db<ClaimedWebhookRequest[]>`
    select id, kind, organization_id, subject_id, api_request_id, payload, created_at from requests r
    where r.kind in ('delivery_retry', 'webhook_test') and r.consumed_at is null
      and not exists (select from deliveries d where d.public_id = r.subject_id and d.leased_until > ${now})
    order by r.created_at, r.id limit ${limit} for update of r skip locked`
}

/** Deletes requests, in the transaction that has processed them. */
export async function deleteWebhookRequests(db: Db, ids: readonly string[]): Promise<void> {
  await db`delete from requests where id = any (${ids})`
}
