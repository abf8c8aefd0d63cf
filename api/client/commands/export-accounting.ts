import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { open, rename, rm, truncate } from 'node:fs/promises'
import { CommandError, parseOptions, required } from '../../../shared/runtime/command-line.ts'
import { ApiError } from '../api-error.ts'
import type { ApiClient } from '../client.ts'
import { exportEntries } from '../export-entries.ts'
import { createEntrySplitter, type ExportQuery } from '../split-entries.ts'
import { openPartState, type PartState, toStatePath, writePartState } from './part-state.ts'
import { createProgress } from './progress.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Exports the books of a period: every movement of money as a balanced entry. Needs the scope metrics:read.

  svc accounting export --from DATE --to DATE --output FILE
      --from DATE              first day, or ISO 8601 time
      --to DATE                the day after the last day, or ISO 8601 time; at most 366 days later
      --output FILE            the file to write; an interrupted run is continued from FILE.part, only with the same options
      --format FORMAT          csv, json (one object per line), hledger (also for ledger) or beancount; default csv
      --timezone ZONE          time zone of days, dates and times, such as Europe/Berlin; default UTC
      --columns NAME,…         columns of csv and json
      --recorded-since TIME    only entries that the service recorded at or after this time
      --recorded-until TIME    only entries that the service recorded before this time

FILE appears when the export is complete. After a lost connection the export continues. The end of the export is requested
at least twice, because a proxy can make a truncated response look complete. FILE contains the entries that the service
recorded before the printed time. Pass that time as --recorded-since of the next export.
`

/** Totals of the written file. */
type Written = { entries: number; bytes: number; lastEntryId: string | null; readonly hash: Hash }

/** `svc accounting export`. */
export const exportAccounting: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { output, query } = readOptions(args)
    if (existsSync(output)) throw new CommandError(`${output} exists already`)
    const part = `${output}.part`
    const state = openPartState(part, query)
    const written = await readPart(part, query)
    const recordedUntil = await writeRest(api, { part, state, written })
    await rename(part, output)
    await rm(toStatePath(part))
    return [
      `${output}: ${written.entries} entries, ${written.bytes} bytes, sha256 ${written.hash.digest('hex')}`,
      `All entries that the service recorded before ${recordedUntil}.`,
    ]
  },
}

function readOptions(args: string[]): { readonly output: string; readonly query: ExportQuery } {
  const dates = ['from', 'to', 'recorded-since', 'recorded-until'] as const
  const { values } = parseOptions(args, { texts: [...dates, 'output', 'format', 'timezone', 'columns'] })
  const { format, timezone, columns, 'recorded-since': recordedSince } = values
  const recordedUntil = values['recorded-until']
  return {
    output: required(values.output, 'output'),
    query: {
      ...{ from: required(values.from, 'from'), to: required(values.to, 'to') },
      ...(format !== undefined && { format: format as NonNullable<ExportQuery['format']> }),
      ...(timezone !== undefined && { timezone }),
      ...(columns !== undefined && { columns }),
      ...(recordedSince !== undefined && { recordedSince }),
      ...(recordedUntil !== undefined && { recordedUntil }),
    },
  }
}

/** Reads the part file of an interrupted run, and cuts off its last entry, which might be incomplete. */
async function readPart(path: string, query: ExportQuery): Promise<Written> {
  const written: Written = { entries: 0, bytes: 0, lastEntryId: null, hash: createHash('sha256') }
  if (!existsSync(path)) return written
  const splitter = createEntrySplitter(query)
  for await (const text of createReadStream(path, 'utf8')) count(written, splitter.push(String(text)))
  await truncate(path, written.bytes)
  return written
}

/** Appends the missing entries to the part file. Returns the time before which all exported entries were recorded. */
async function writeRest(
  api: ApiClient,
  { part, state, written }: { readonly part: string; readonly state: PartState; readonly written: Written },
): Promise<string | null> {
  let { recordedUntil } = state
  const progress = createProgress()
  const file = await open(part, 'a')
  try {
    const { lastEntryId: after } = written
    const parts = exportEntries(
      api,
      // If the part file contains no complete entry, the export starts over.
      after === null
        ? state.query
        : { ...state.query, after, ...(recordedUntil !== null && { recordedUntil }) },
      {
        onLost: ({ reason, retryInMs }) => progress.wait(`${reason}; continuing in ${retryInMs / 1000} s`),
        onBegun: (until) => {
          recordedUntil = until
          writePartState(part, { ...state, recordedUntil })
        },
      },
    )
    for await (const chunk of parts) {
      await file.appendFile(chunk.text)
      count(written, chunk)
      if (process.stderr.isTTY)
        progress.wait(`${written.entries} entries, ${(written.bytes / 1e6).toFixed(1)} MB`)
    }
    await file.sync()
    return recordedUntil
  } catch (error) {
    if (!(error instanceof ApiError) || error.param !== 'after') throw error
    throw new CommandError(
      `${part} belongs to another organization or environment: delete it (${error.message})`,
    )
  } finally {
    progress.stop()
    await file.close()
  }
}

function count(written: Written, chunk: { text: string; entries: number; lastEntryId: string | null }): void {
  written.entries += chunk.entries
  written.bytes += Buffer.byteLength(chunk.text)
  written.lastEntryId = chunk.lastEntryId ?? written.lastEntryId
  written.hash.update(chunk.text)
}
