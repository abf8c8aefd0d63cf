import type { Static } from '@sinclair/typebox'
import { listCharges as listChargeRows } from '../../shared/db/charges/api/charges-list.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { type CursorScope, decodeCursor, encodeCursor } from '../http/cursor.ts'
import { requireTimestamp } from '../http/parse-timestamp.ts'
import { requireEnvironment } from '../http/require-environment.ts'
import type { Request } from '../http/route.ts'
import { DEFAULT_LIMIT } from '../http/schema.ts'
import { type PresentDeps, presentCurrentCharge } from './present.ts'
import type { ListChargesQuery } from './request-schema.ts'

type Query = Static<typeof ListChargesQuery>

type Deps = PresentDeps & {
  readonly sql: Sql
  readonly config: Pick<ApiConfig, 'staleAfter' | 'checkoutBaseUrl' | 'cursorSecrets' | 'maxPageBytes'>
}

/**
 * Returns one page of the key's charges as JSON text, newest first.
 *
 * New charges precede the first page, so they do not shift later pages. A page that would exceed the maximum size in
 * bytes ends early, with `hasMore: true`.
 *
 * @throws {AppError} `environment_mismatch`; `validation_error` for an invalid cursor or timestamp
 */
export async function listCharges(deps: Deps, request: Request<Query, unknown>): Promise<string> {
  const { key, query } = request
  const scope = buildScope(deps, request)
  const limit = query.limit ?? DEFAULT_LIMIT
  const after = query.cursor === undefined ? null : decodeCursor(scope, query.cursor)
  const [since, until] = [parseBound('since', query.since), parseBound('until', query.until)]
  // Checked last, because errors with status 400 precede errors with status 422 (decisions 3.3).
  requireEnvironment(key, query.environment)
  const { charges, hasMore } = await listChargeRows(deps.sql, {
    tenant: key,
    filter: {
      status: query.status,
      token: query.token,
      network: query.network,
      isOverpaid: query.isOverpaid === undefined ? undefined : query.isOverpaid === 'true',
      since,
      until,
      externalRef: query.externalRef,
    },
    after: after && { createdAtMicros: after.atMicros, id: after.id },
    limit,
    maxBytes: deps.config.maxPageBytes,
    staleAfter: deps.config.staleAfter,
  })
  const last = charges.at(-1)
  const nextCursor =
    hasMore && last !== undefined
      ? encodeCursor(scope, { atMicros: last.createdAtMicros, id: last.charge.id })
      : null
  const data = charges.map((charge) => presentCurrentCharge(charge, deps)).join(',')
  return `{"data":[${data}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`
}

/** Returns the scope of a cursor: the key's organization and environment, and the filters. */
export function buildScope(
  { config }: { readonly config: Pick<ApiConfig, 'cursorSecrets'> },
  { key, query }: { readonly key: Tenant; readonly query: Query },
): CursorScope {
  const { status, token, network, isOverpaid, since, until, externalRef } = query
  return {
    secrets: config.cursorSecrets,
    list: 'charges',
    filter: [
      ...[key.organizationId, key.environment, status, token, network, isOverpaid, since, until],
      externalRef,
    ],
  }
}

function parseBound(name: 'since' | 'until', text: string | undefined): Date | undefined {
  return text === undefined ? undefined : requireTimestamp(text, name)
}
