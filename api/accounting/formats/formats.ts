import { BEANCOUNT } from './beancount.ts'
import { CSV } from './csv.ts'
import type { ExportFormat } from './export-format.ts'
import { HLEDGER } from './hledger.ts'
import { NDJSON } from './ndjson.ts'

/** The formats by the value of the query parameter `format`. */
export const FORMATS = {
  csv: CSV,
  json: NDJSON,
  hledger: HLEDGER,
  beancount: BEANCOUNT,
} as const satisfies Readonly<Record<string, ExportFormat>>

export type FormatName = keyof typeof FORMATS

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[]
