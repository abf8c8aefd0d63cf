import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import { listRecipients as listRows } from '../../shared/db/organizations/api/recipients.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import type { Request } from '../http/route.ts'
import { DEFAULT_LIMIT } from '../http/schema.ts'
import { presentRecipient } from './present.ts'
import type { ListRecipientsQuery } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'cursorSecrets'> }

/**
 * Returns one page of the recipients that are not revoked, newest first.
 *
 * @throws {AppError} `validation_error` for an invalid cursor
 */
export async function listRecipients(
  { sql, config }: Deps,
  { key, query }: Request<Static<typeof ListRecipientsQuery>, unknown>,
) {
  const scope = {
    secrets: config.cursorSecrets,
    list: 'recipients',
    filter: [key.organizationId, key.environment],
  }
  const limit = query.limit ?? DEFAULT_LIMIT
  const after = query.cursor === undefined ? null : decodeCursor(scope, query.cursor)
  const found = await listRows(sql, {
    tenant: key,
    after: after && { createdAtMicros: after.atMicros, id: after.id },
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const hasMore = found.length > limit && last !== undefined
  const nextCursor = hasMore ? encodeCursor(scope, { atMicros: last.createdAtMicros, id: last.id }) : null
  return { data: page.map(presentRecipient), nextCursor, hasMore }
}
