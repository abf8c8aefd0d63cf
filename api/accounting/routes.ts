import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { ResponseBuffers } from '../http/response-buffers.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import { createExports } from './exports.ts'
import { FORMATS } from './formats/formats.ts'
import { parseExport } from './parse-export.ts'
import { ExportQuery } from './schema.ts'

type Deps = { readonly exportSql: Sql; readonly readers: ResponseBuffers }

/** Returns the endpoint that exports an organization's books. */
export function accountingRoutes({ exportSql, readers }: Deps): readonly Route[] {
  const sendExport = createExports({ sql: exportSql, readers })
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/accounting/entries',
      operationId: 'exportAccountingEntries',
      summary: 'Export the double-entry records of a period for accounting software',
      description: DESCRIPTION,
      scope: 'metrics:read',
      query: ExportQuery,
      success: {
        status: 200,
        body: 'text',
        contentTypes: [
          ...new Set(Object.values(FORMATS).map(({ contentType }) => contentType.replace(/;.*/, ''))),
        ],
        headers: {
          'Accounting-Format': 'The version of the format.',
          'Accounting-Recorded-Until':
            'The response contains exactly the entries of the period that the service recorded before this time; `recordedSince` and `after` select only a part of them. This time is the `recordedUntil` with which the response is continued or repeated, and the `recordedSince` of the next export.',
        },
      },
      errors: ['entry_not_in_range'],
      handle: async ({ key, query }, ctx) => {
        const request = parseExport(query)
        requireChunks(ctx.req.httpVersionMajor, ctx.req.httpVersionMinor)
        await sendExport(ctx, key, request)
      },
    }),
  ]
}

const DESCRIPTION = [
  'Every counted movement of money (one that the service has included in its sums) is one entry, with one row per leg. The amounts of an entry sum to zero, to the last digit. Entries are sorted by `time`, which is the time of the block or, for a correction, the time at which it was recorded.',
  'A correction is a new entry, so a recorded entry never changes.',
  'The response is streamed. An incomplete one ends without the last HTTP chunk; continue it with the `entry_id` of its last whole entry as `after` and its `Accounting-Recorded-Until` as `recordedUntil`. The trailers `Accounting-Entries` and `Repr-Digest` contain the number of entries and the SHA-256 of the body.',
  'While an export of an organization is in progress, another one can be rejected with `rate_limited`.',
].join(' ')

/** Throws for HTTP/1.0, which ends a body by closing the connection, so that a truncated export would look complete. */
function requireChunks(major: number, minor: number): void {
  if (major > 1 || minor > 0) return
  throw new AppError('validation_error', 'an export requires HTTP/1.1; a proxy must not send HTTP/1.0')
}
