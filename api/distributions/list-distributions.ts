import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import { listClaimableDistributions } from '../../shared/db/payouts/api/pending-distributions.ts'
import { presentDistribution } from '../../shared/domain/present-distribution.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import type { Request } from '../http/route.ts'
import { DEFAULT_LIMIT } from '../http/schema.ts'
import type { ListDistributionsQuery } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'cursorSecrets'> }

/**
 * Returns one page of the distributions that anyone may execute in the key's environment, longest available first.
 *
 * @throws {AppError} `validation_error` for an invalid cursor
 */
export async function listDistributions(
  { sql, config }: Deps,
  { key, query }: Request<Static<typeof ListDistributionsQuery>, unknown>,
) {
  const scope = { secrets: config.cursorSecrets, list: 'distributions', filter: [key.environment] }
  const limit = query.limit ?? DEFAULT_LIMIT
  const after = query.cursor === undefined ? null : decodeCursor(scope, query.cursor)
  const found = await listClaimableDistributions(sql, {
    environment: key.environment,
    after: after && { availableSinceMicros: after.atMicros, payoutId: Number(after.id) },
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const hasMore = found.length > limit && last !== undefined
  const nextCursor = hasMore
    ? encodeCursor(scope, { atMicros: last.availableSinceMicros, id: String(last.id) })
    : null
  return { data: page.map(presentDistribution), nextCursor, hasMore }
}
