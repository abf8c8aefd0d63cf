import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from 'koa'
import {
  allowIdling,
  type ExportPosition,
  type ExportRange,
  findExportPosition,
  listExportEntries,
} from '../../shared/db/accounting/api/export-entries.ts'
import { connect, type Db, type Sql } from '../../shared/db/connect.ts'
import { inSnapshot } from '../../shared/db/transaction.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import type { ResponseBuffers } from '../http/response-buffers.ts'
import { type ExportPage, type ExportResponse, openExportResponse } from './export-response.ts'
import { findClosedTime } from './find-closed-time.ts'
import { findEntryOutsideRange } from './find-entry-outside-range.ts'
import { FORMATS } from './formats/formats.ts'
import type { ExportRequest } from './parse-export.ts'
import { toExportEntry } from './to-export-entry.ts'

/**
 * Maximum concurrent exports per process, at most one of them per organization. Each holds a connection and a snapshot.
 */
const MAX_RUNNING = 4

/** Entries per statement: about 8 kB of text. Formatting them blocks other requests for less than a millisecond. */
const PAGE_ENTRIES = 8

/**
 * After each page except the last, an export pauses for as long as the page took, but at most 25 ms, so that other
 * requests are served first. If no page takes longer than 25 ms, an export uses at most half a core.
 */
const REST_FACTOR = 1
const MAX_REST_MS = 25

/** PostgreSQL ends the transaction of an export whose client takes longer than this to read a page. */
const MAX_IDLE_MS = 60_000

/**
 * Maximum duration of an export, because PostgreSQL cannot remove old rows while a snapshot might read them. After this
 * time the connection is closed, and the client can continue with `after`.
 */
const MAX_DURATION_MS = 15 * 60_000

const RETRY_AFTER_SECONDS = '10'

/** Opens a separate pool, because exports hold connections for minutes and must not use up those of other requests. */
export function connectExports({ databaseUrl }: { readonly databaseUrl: string }): Sql {
  return connect({ url: databaseUrl, applicationName: 'api exports', maxConnections: MAX_RUNNING })
}

type Deps = {
  readonly sql: Sql
  readonly readers: ResponseBuffers
}

/**
 * Creates the function that responds with an export.
 *
 * An export reads its pages from one snapshot, and reads the next page only when the connection accepts more bytes, so
 * an export of any size needs the memory of a few pages. After the first page, an error or an exceeded limit destroys
 * the connection, so that a truncated file cannot look complete.
 *
 * An export contains exactly the entries of the range that were recorded before the time in its
 * `Accounting-Recorded-Until` header. The same request with that time as `recordedUntil` returns the same bytes or,
 * with `after`, the remaining bytes. Only `charge_status` can differ.
 *
 * The function throws `rate_limited` if this process runs another export of the organization or the maximum number of
 * exports, or if entries before `recordedUntil` might still be recorded. It throws `validation_error` for an unknown
 * `after`, and `entry_not_in_range` for an `after` outside of the range.
 */
export function createExports(
  { sql, readers }: Deps,
  { maxRunning, maxDurationMs } = { maxRunning: MAX_RUNNING, maxDurationMs: MAX_DURATION_MS },
) {
  const running = new Set<string>()
  return async (ctx: Context, tenant: Tenant, request: ExportRequest): Promise<void> => {
    const { organizationId } = tenant
    if (running.has(organizationId))
      throw createLimitError(ctx, 'another export of this organization is in progress')
    if (running.size >= maxRunning)
      throw createLimitError(ctx, `${maxRunning} exports are in progress in this process`)
    running.add(organizationId)
    const response = await sendExport({ sql, ctx, readers, maxDurationMs }, tenant, request).finally(() =>
      running.delete(organizationId),
    )
    // End the response only now that the organization may start another export. A client might start the next one as
    // soon as it has read the end.
    response.end()
  }
}

type Sending = Deps & { readonly ctx: Context; readonly maxDurationMs: number }

async function sendExport(sending: Sending, tenant: Tenant, request: ExportRequest): Promise<ExportResponse> {
  const recordedUntil = await findClosedTime(sending.sql, request.recordedUntil)
  if (recordedUntil === null)
    throw createLimitError(sending.ctx, 'transactions that record entries before recordedUntil might be open')
  return inSnapshot(sending.sql, (db) => sendSnapshot(db, sending, { ...request, tenant, recordedUntil }))
}

type ClosedRequest = ExportRequest & { readonly tenant: Tenant; readonly recordedUntil: Date }

async function sendSnapshot(
  db: Db,
  { ctx, readers, maxDurationMs }: Sending,
  request: ClosedRequest,
): Promise<ExportResponse> {
  await allowIdling(db, { maxIdleMs: MAX_IDLE_MS })
  const pages = writePages(db, request)
  // Read the first page before the response begins, so that its error can still set the status.
  const first = await pages.next()
  const response = openExportResponse(
    ctx,
    { readers, maxDurationMs },
    {
      contentType: FORMATS[request.format].contentType,
      fileName: toFileName(request),
      recordedUntil: request.recordedUntil,
    },
  )
  for (let page = first; page.done !== true && response.isOpen(); page = await pages.next()) {
    await response.write(page.value)
    if (!page.value.isLast) await delay(Math.min(REST_FACTOR * page.value.workedMs, MAX_REST_MS))
  }
  return response
}

async function* writePages(db: Db, request: ClosedRequest): AsyncGenerator<WrittenPage> {
  let after = request.after === null ? null : await requirePosition(db, request, request.after)
  let isFirst = after === null
  for (let isLast = false; !isLast; ) {
    const { last, ...page } = await writePage(db, request, { after, isFirst })
    ;({ isLast } = page)
    after = last
    isFirst = false
    yield page
  }
}

type WrittenPage = ExportPage & { readonly workedMs: number; readonly isLast: boolean }

/**
 * Returns a page as text instead of rows. Rows that are still referenced while the client reads would move to V8's old
 * generation, whose collection delays requests.
 */
async function writePage(
  db: Db,
  request: ClosedRequest,
  { after, isFirst }: { readonly after: ExportPosition | null; readonly isFirst: boolean },
): Promise<WrittenPage & { readonly last: ExportPosition | null }> {
  const startedAtMs = performance.now()
  const style = { environment: request.tenant.environment, zone: request.zone, columns: request.columns }
  const format = FORMATS[request.format]
  const rows = await listExportEntries(db, request, { after, limit: PAGE_ENTRIES })
  const isLast = rows.length < PAGE_ENTRIES
  let text = isFirst ? format.writeHead(style) : ''
  for (const row of rows) text += format.writeEntry(toExportEntry(row), style)
  if (isLast) text += format.tail
  const last = rows.at(-1)?.position ?? after
  return { text, entries: rows.length, workedMs: performance.now() - startedAtMs, isLast, last }
}

async function requirePosition(db: Db, range: ExportRange, entryId: string): Promise<ExportPosition> {
  const found = await findExportPosition(db, range.tenant, entryId)
  if (found === null)
    throw new AppError('validation_error', 'after must be the id of an entry', { param: 'after' })
  const problem = findEntryOutsideRange(range, found)
  if (problem === null) return found.position
  throw new AppError('entry_not_in_range', `the entry ${entryId} was ${problem}`, { param: 'after' })
}

/** Returns the file name. It contains the environment, because a file never contains both test and live charges. */
function toFileName({ tenant: { environment }, from, to, zone, format }: ClosedRequest): string {
  const period = `${zone.formatDate(from)}-${zone.formatDate(to)}`
  return `accounting-v1-${environment}-${period}.${FORMATS[format].fileExtension}`
}

function createLimitError(ctx: Context, message: string): AppError {
  ctx.set('Retry-After', RETRY_AFTER_SECONDS)
  return new AppError('rate_limited', message)
}
