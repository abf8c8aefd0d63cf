import { exportEntries } from '../../../api/client/export-entries.ts'
import { createApiCaller } from '../../devnet/call-api.ts'
import { parseCsv } from '../parse-csv.ts'
import type { Shop } from './create-shop.ts'

/** The books of a merchant, once in each format. */
export type Exports = Readonly<Record<'csv' | 'json' | 'hledger' | 'beancount', string>>

/** A row of the export: its cells by column name. */
export type ExportedLeg = Readonly<Record<string, string>>

/** The part of a leg that a journal contains. */
export type Posting = Readonly<Record<'entry' | 'account' | 'amount' | 'commodity', string>>

const DAY_MS = 86_400_000

/** Exports the entries posted in the last 24 hours, with the function that merchants use. */
export async function readExports({ devnet }: Shop): Promise<Exports> {
  const from = new Date(Date.now() - DAY_MS).toISOString()
  const to = new Date(Date.now() + DAY_MS).toISOString()
  const api = createApiCaller(devnet.description)
  const read = async (format: keyof Exports) => {
    let text = ''
    for await (const part of exportEntries(api, { from, to, format })) text += part.text
    return text
  }
  return {
    csv: await read('csv'),
    json: await read('json'),
    hledger: await read('hledger'),
    beancount: await read('beancount'),
  }
}

export function readCsvLegs({ csv }: Exports): readonly ExportedLeg[] {
  const [names = [], ...rows] = parseCsv(csv)
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])))
}

type Cell = string | number | boolean | null

/** Parses the lines of NDJSON into rows like those of `readCsvLegs`. */
export function readJsonLegs({ json }: Exports): readonly ExportedLeg[] {
  const lines = json.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const cells = Object.entries(JSON.parse(line) as Record<string, Cell>)
    return Object.fromEntries(cells.map(([name, cell]) => [toSnakeCase(name), String(cell ?? '')]))
  })
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export function readPostings({ hledger, beancount }: Exports, format: 'hledger' | 'beancount') {
  const text = format === 'hledger' ? hledger : beancount
  const postings: Posting[] = []
  let entry = ''
  for (const line of text.split('\n')) {
    entry = ENTRY[format].exec(line)?.[1] ?? entry
    const [, account, amount, commodity] = POSTING.exec(line) ?? []
    if (account !== undefined && amount !== undefined && commodity !== undefined)
      postings.push({ entry, account, amount, commodity })
  }
  return postings
}

/** The line of a journal that names the entry of the postings that follow. */
const ENTRY = { hledger: /^\S+ \* \((\w+)\) /, beancount: /^ {2}entry: "(\w+)"$/ }
const POSTING = /^ {4}(\S+:\S+) +(-?[\d.]+) ([A-Z]+)$/
