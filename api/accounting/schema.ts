import { Type } from '@sinclair/typebox'
import { strictObject, stringEnum } from '../http/schema.ts'
import { COLUMN_NAMES, DEFAULT_COLUMNS } from './formats/columns.ts'
import { FORMAT_NAMES } from './formats/formats.ts'

const ISO_TIME = '2026-11-01T00:00:00Z'

/** The query of `GET /v1/accounting/entries`. */
export const ExportQuery = strictObject({
  from: Type.String({
    maxLength: 40,
    examples: ['2026-11-01'],
    description: `The time of the earliest posting to export: an ISO 8601 time such as ${ISO_TIME}, or a date, which begins at midnight in \`timezone\`.`,
  }),
  to: Type.String({
    maxLength: 40,
    examples: ['2026-12-01'],
    description:
      'Only postings before this time are exported. In the same form as `from`, and at most 366 days after it.',
  }),
  format: Type.Optional(
    stringEnum(FORMAT_NAMES, {
      default: 'csv',
      description: '`json` is one JSON object per line (NDJSON). Ledger can also read `hledger`.',
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      maxLength: 64,
      default: 'UTC',
      examples: ['Europe/Berlin'],
      description: 'The IANA name of the time zone of dates and times.',
    }),
  ),
  columns: Type.Optional(
    Type.String({
      maxLength: 500,
      description: `The columns of \`csv\` and \`json\` in their order, separated by commas: ${COLUMN_NAMES.map((name) => `\`${name}\``).join(', ')}. By default ${DEFAULT_COLUMNS.length} of them: all but \`charge_status\`, which is the status at the time of the export.`,
    }),
  ),
  recordedSince: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'Only entries that the service recorded at or after this time. With `Accounting-Recorded-Until` of the previous export it selects the new entries.',
    }),
  ),
  recordedUntil: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'Only entries that the service recorded before this time. Then a repeated export without `charge_status` has the same bytes, even if a payment of the period was found later.',
    }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Continues an interrupted export after this `entry_id`. Repeat the query, and set `recordedUntil` to the header `Accounting-Recorded-Until` of the interrupted response. The response then has neither a header row nor the opening lines of a journal.',
    }),
  ),
})
