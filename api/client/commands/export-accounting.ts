import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { open, rename, truncate } from 'node:fs/promises'
import { CommandError, parseOptions, required } from '../../../shared/runtime/command-line.ts'
import type { ApiClient } from '../client.ts'
import { exportEntries } from '../export-entries.ts'
import { createEntrySplitter, type ExportQuery } from '../split-entries.ts'
import { createProgress } from './progress.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Exports the books of a period: every movement of money as a balanced entry. Needs the scope metrics:read.

  svc accounting export --from DATE --to DATE --output FILE
      --from DATE              first day, or ISO 8601 time
      --to DATE                the day after the last one, or ISO 8601 time; at most 366 days later
      --output FILE            the file to write; if an earlier run was interrupted, it continues FILE.part
      --format FORMAT          csv, json (one object per line), hledger (for ledger, too) or beancount; default csv
      --timezone ZONE          of days, dates and times, such as Europe/Berlin; default UTC
      --columns NAME,…         of csv and json
      --recorded-since TIME    only what the service recorded at or after this time
      --recorded-until TIME    only what the service recorded before this time

The file gets its name when it is complete: lost connections are continued, and the end is requested twice.
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
    const written = await readPart(part, query)
    await writeRest(api, { part, query, written })
    await rename(part, output)
    return [
      `${output}: ${written.entries} entries, ${written.bytes} bytes, sha256 ${written.hash.digest('hex')}`,
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

/** Reads the whole entries of an interrupted run, and cuts off the rest. */
async function readPart(path: string, query: ExportQuery): Promise<Written> {
  const written: Written = { entries: 0, bytes: 0, lastEntryId: null, hash: createHash('sha256') }
  if (!existsSync(path)) return written
  const splitter = createEntrySplitter(query)
  for await (const text of createReadStream(path, 'utf8')) count(written, splitter.push(String(text)))
  await truncate(path, written.bytes)
  return written
}

async function writeRest(
  api: ApiClient,
  { part, query, written }: { readonly part: string; readonly query: ExportQuery; readonly written: Written },
): Promise<void> {
  const progress = createProgress()
  const file = await open(part, 'a')
  try {
    const { lastEntryId: after } = written
    const parts = exportEntries(
      api,
      { ...query, ...(after !== null && { after }) },
      { onLost: ({ reason, retryInMs }) => progress.wait(`${reason}; continuing in ${retryInMs / 1000} s`) },
    )
    for await (const chunk of parts) {
      await file.appendFile(chunk.text)
      count(written, chunk)
      if (process.stderr.isTTY)
        progress.wait(`${written.entries} entries, ${(written.bytes / 1e6).toFixed(1)} MB`)
    }
    await file.sync()
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
