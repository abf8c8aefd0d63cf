import type { Environment } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'

/** What the API asks of the daemon: one more try of a delivery, or a test of an endpoint. */
export type WebhookRequest = {
  readonly id: string
  readonly kind: 'delivery_retry' | 'webhook_test'
  readonly organizationId: string
  /** `dl_…` or `wh_…` */
  readonly subjectId: string
  /** The `Request-Id` of whoever asks the API; a UUID. */
  readonly apiRequestId: string
  readonly payload: { readonly environment: Environment }
}

/** The same as the daemon finds it: the payload is of whoever could write the row. */
export type TakenWebhookRequest = Omit<WebhookRequest, 'payload' | 'apiRequestId'> & {
  readonly apiRequestId: string | null
  readonly payload: unknown
  readonly createdAt: Date
}

/** Asks, and answers when that was; the daemon answers by doing it. */
export async function insertWebhookRequest(db: Db, request: WebhookRequest): Promise<Date> {
  const [row] = await db<[{ createdAt: Date }]>`
    insert into requests (id, kind, organization_id, subject_id, api_request_id, payload)
    values (${request.id}, ${request.kind}, ${request.organizationId}, ${request.subjectId}, ${request.apiRequestId},
      ${db.json(request.payload)})
    returning created_at`
  return row.createdAt
}

/**
 * Takes open requests about webhooks out of the table, oldest first, in the transaction that fulfils them.
 *
 * A retry whose delivery is being attempted right now stays for later.
 */
export async function takeWebhookRequests(
  db: Db,
  { now, limit }: { now: Date; limit: number },
): Promise<readonly TakenWebhookRequest[]> {
  // By an array: a nested loop would look into a limited list once for each row, and each time take as many again.
  return await db<TakenWebhookRequest[]>`
    delete from requests where id = any (array(
      select r.id from requests r
      where r.kind in ('delivery_retry', 'webhook_test') and r.consumed_at is null
        and not exists (select from deliveries d where d.public_id = r.subject_id and d.locked_until > ${now})
      order by r.created_at, r.id limit ${limit} for update skip locked))
    returning id, kind, organization_id, subject_id, api_request_id, payload, created_at`
}
