import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import { listDeliveries as listDeliveryRows } from '../../shared/db/webhooks/api/deliveries-read.ts'
import { findWebhook } from '../../shared/db/webhooks/webhooks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import type { Request } from '../http/route.ts'
import { DEFAULT_LIMIT } from '../http/schema.ts'
import { createWebhookNotFound } from './not-found.ts'
import { presentDelivery } from './present.ts'
import type { ListDeliveriesQuery } from './schema.ts'

type Deps = {
  readonly sql: Sql
  readonly config: Pick<ApiConfig, 'cursorSecrets'>
  readonly maxScanned?: number
}

/** Maximum deliveries scanned for one page. An index scan of 10,000 deliveries takes about 20 ms. */
const MAX_SCANNED = 10_000

/**
 * Returns one page of a webhook's deliveries, newest first, even if the webhook was deleted.
 *
 * @throws {AppError} `webhook_not_found`; `validation_error` for an invalid cursor
 */
export async function listDeliveries(
  { sql, config, maxScanned = MAX_SCANNED }: Deps,
  { key, params, query }: Request<Static<typeof ListDeliveriesQuery>, unknown>,
) {
  const id = params['id'] ?? ''
  const { status = null, event = null } = query
  const scope = {
    secrets: config.cursorSecrets,
    list: 'deliveries',
    filter: [key.organizationId, key.environment, id, status, event],
  }
  const after = query.cursor === undefined ? null : decodeCursor(scope, query.cursor)
  if ((await findWebhook(sql, { tenant: key, id, orDeleted: true })) === null)
    throw createWebhookNotFound(params)
  const { page, next } = await listDeliveryRows(sql, {
    ...{ webhookId: id, environment: key.environment, status, event, maxScanned },
    below: after && Number(after.id),
    limit: query.limit ?? DEFAULT_LIMIT,
  })
  // The list is ordered only by the delivery's number. The timestamp is set because every cursor requires one.
  const atMicros = (page.at(-1)?.createdAt.getTime() ?? 0) * 1000
  const nextCursor = next === null ? null : encodeCursor(scope, { atMicros, id: String(next) })
  return { data: page.map(presentDelivery), nextCursor, hasMore: next !== null }
}
