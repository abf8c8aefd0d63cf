import type { Context } from 'koa'
import {
  beginExport,
  type ExportPosition,
  findExportPosition,
  listExportEntries,
} from '../../shared/db/accounting/api/export-entries.ts'
import { connect, type Db, type Sql } from '../../shared/db/connect.ts'
import { inSnapshot } from '../../shared/db/transaction.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import type { ResponseBuffers } from '../http/response-buffers.ts'
import { type ExportPage, type ExportResponse, openExportResponse } from './export-response.ts'
import { FORMATS } from './formats/formats.ts'
import type { ExportRequest } from './parse-export.ts'
import { toExportEntry } from './to-export-entry.ts'

/** Exports in progress in one process. Each holds a connection and a snapshot, which delays vacuum. */
const MAX_RUNNING = 2

/** Entries per statement: about 100 kB of text, which take a few milliseconds, in which no other request proceeds. */
const PAGE_ENTRIES = 100

/** PostgreSQL ends the transaction of an export whose client has read nothing for this long. */
const MAX_IDLE_MS = 60_000

/** Then the connection is closed, and the client continues with `after`: an old snapshot makes other tables grow. */
const MAX_DURATION_MS = 15 * 60_000

/** Longer than the transactions that record entries; `recorded_at` is the time of their beginning. */
const RECORDING_MARGIN_MS = 5 * 60_000

const RETRY_AFTER_SECONDS = '10'

/** Opens the pool of exports: they hold a connection for minutes, and must not use up those of other requests. */
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
 * It reads pages from one snapshot and formats one only when the client has read those before, so an export of any size
 * needs the memory of one page. The response begins when the first page was read; an error after that, or a limit,
 * destroys the connection, so that a cut file cannot look complete.
 *
 * The function throws `rate_limited` if another export of the tenant is in progress, or too many in this process;
 * `validation_error` for an unknown `after`.
 */
export function createExports({ sql, readers }: Deps, limits = { maxDurationMs: MAX_DURATION_MS }) {
  const running = new Set<string>()
  return async (ctx: Context, tenant: Tenant, request: ExportRequest): Promise<void> => {
    const name = `${tenant.organizationId} ${tenant.environment}`
    if (running.has(name)) throw createLimitError(ctx, 'another export of this organization is in progress')
    if (running.size >= MAX_RUNNING)
      throw createLimitError(ctx, `${MAX_RUNNING} exports are in progress in this process`)
    running.add(name)
    const response = await inSnapshot(sql, (db) =>
      sendExport({ db, ctx, readers, ...limits }, tenant, request),
    ).finally(() => running.delete(name))
    // After the place is free, because the client might continue as soon as it has read the end.
    response.end()
  }
}

type Sending = {
  readonly db: Db
  readonly ctx: Context
  readonly readers: ResponseBuffers
  readonly maxDurationMs: number
}

async function sendExport(sending: Sending, tenant: Tenant, request: ExportRequest): Promise<ExportResponse> {
  const { db, ctx, readers, maxDurationMs } = sending
  const startedAt = await beginExport(db, { maxIdleMs: MAX_IDLE_MS })
  const pages = writePages(db, tenant, request)
  // Before the response begins, so that an error of the first page has a status.
  const first = await pages.next()
  const response = openExportResponse(
    ctx,
    { readers, maxDurationMs },
    {
      contentType: FORMATS[request.format].contentType,
      fileName: toFileName(tenant, request),
      recordedUntil: new Date(startedAt.getTime() - RECORDING_MARGIN_MS),
    },
  )
  for (let page = first; page.done !== true && response.isOpen(); page = await pages.next())
    await response.write(page.value)
  return response
}

/** Yields the text of the export, a page of entries at a time. */
async function* writePages(db: Db, tenant: Tenant, request: ExportRequest): AsyncGenerator<ExportPage> {
  const style = { environment: tenant.environment, zone: request.zone, columns: request.columns }
  const format = FORMATS[request.format]
  let after = request.after === null ? null : await requirePosition(db, tenant, request.after)
  let text = after === null ? format.writeHead(style) : ''
  for (let isLast = false; !isLast; ) {
    const rows = await listExportEntries(db, { tenant, ...request }, { after, limit: PAGE_ENTRIES })
    isLast = rows.length < PAGE_ENTRIES
    after = rows.at(-1)?.position ?? after
    text += rows.map((row) => format.writeEntry(toExportEntry(row), style)).join('')
    yield { text: isLast ? text + format.tail : text, entries: rows.length }
    text = ''
  }
}

async function requirePosition(db: Db, tenant: Tenant, entryId: string): Promise<ExportPosition> {
  const position = await findExportPosition(db, tenant, entryId)
  if (position !== null) return position
  throw new AppError('validation_error', 'after must be the id of an entry', { param: 'after' })
}

/** Test and live charges are never in one file. */
function toFileName({ environment }: Tenant, { from, to, zone, format }: ExportRequest): string {
  const period = `${zone.formatDate(from)}-${zone.formatDate(to)}`
  return `accounting-v1-${environment}-${period}.${FORMATS[format].fileExtension}`
}

function createLimitError(ctx: Context, message: string): AppError {
  ctx.set('Retry-After', RETRY_AFTER_SECONDS)
  return new AppError('rate_limited', message)
}
