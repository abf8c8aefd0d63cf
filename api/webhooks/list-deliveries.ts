import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import { listDeliveries as listDeliveryRows } from '../../shared/db/webhooks/api/deliveries-read.ts'
import { findWebhook } from '../../shared/db/webhooks/webhooks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import type { Request } from '../route.ts'
import { DEFAULT_LIMIT } from '../schema.ts'
import { presentDelivery } from './present.ts'
import { refuseWebhook } from './refuse.ts'
import type { ListDeliveriesQuery } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'cursorSecrets'> }

/**
 * Answers one page of a webhook's deliveries, newest first; a deleted webhook's too.
 *
 * @throws {AppError} `webhook_not_found`; `validation_error` for a foreign cursor
 */
export async function listDeliveries(
  { sql, config }: Deps,
  { key, params, query }: Request<Static<typeof ListDeliveriesQuery>, unknown>,
) {
  const id = params['id'] ?? ''
  const scope = {
    secrets: config.cursorSecrets,
    list: 'deliveries',
    filter: [key.organizationId, key.environment, id],
  }
  const limit = query.limit ?? DEFAULT_LIMIT
  const after = query.cursor === undefined ? null : decodeCursor(scope, query.cursor)
  if ((await findWebhook(sql, { tenant: key, id, orDeleted: true })) === null) throw refuseWebhook(params)
  const found = await listDeliveryRows(sql, {
    webhookId: id,
    environment: key.environment,
    below: after && Number(after.id),
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const hasMore = found.length > limit && last !== undefined
  // The number alone orders the list; the moment is there because every cursor has one.
  const position = last && { atMicros: last.createdAt.getTime() * 1000, id: String(last.number) }
  const nextCursor = hasMore && position ? encodeCursor(scope, position) : null
  return { data: page.map(presentDelivery), nextCursor, hasMore }
}
