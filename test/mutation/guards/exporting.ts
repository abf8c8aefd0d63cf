import type { Mutant } from '../mutant.ts'

const EXPORT = 'test/integration/api/accounting-export.test.ts'
const CLIENT = 'test/integration/client/export.test.ts'
const FORMATS = 'test/unit/api/accounting-formats.test.ts'

/** Guarantees of the accounting export. */
export const EXPORTING_RULES: readonly Mutant[] = [
  {
    rule: 'an entry is exported only if its legs sum to zero',
    at: 'api/accounting/to-export-entry.ts#toExportEntry',
    take: 'requireBalancedEntry(entry)',
    put: '',
    test: {
      file: EXPORT,
      title: 'returns 500 if the sum of an entry’s legs differs from zero by even one atomic unit',
    },
  },
  {
    rule: 'an export continues only after an entry of the same organization and environment',
    at: 'shared/db/accounting/api/export-entries.ts#findExportPosition',
    take: 'and organization_id = ${tenant.organizationId} and environment = ${tenant.environment}',
    put: '',
    test: { file: EXPORT, title: 'contains only entries of the key’s organization and environment' },
  },
  {
    rule: 'an export contains only entries of the key’s environment',
    at: 'shared/db/accounting/api/export-entries.ts#listExportEntries',
    take: 'and e.environment = ${tenant.environment}',
    put: '',
    test: { file: EXPORT, title: 'contains only entries of the key’s organization and environment' },
  },
  {
    rule: 'a reference that a spreadsheet would execute is written as text',
    at: 'api/accounting/formats/csv.ts#writeCell',
    take: 'disarmFormula(String(cell))',
    put: 'String(cell)',
    test: { file: FORMATS, title: 'so that a spreadsheet shows it as text' },
  },
  {
    rule: 'an export waits for transactions that may still record entries, or reports a time before them',
    at: 'api/accounting/find-closed-time.ts#waitForRecorders',
    take: 'waiting.length > 0',
    put: 'waiting.length > 1_000',
    test: {
      file: EXPORT,
      title:
        'returns an Accounting-Recorded-Until before the start of any transaction that may still record entries',
    },
  },
  {
    rule: 'a continued export contains no entries that were recorded after the export began',
    at: 'shared/db/accounting/api/export-entries.ts#listExportEntries',
    take: 'recordedUntil === null ?',
    put: 'recordedUntil !== undefined ?',
    test: { file: EXPORT, title: 'continues an export without entries that were recorded' },
  },
  {
    rule: 'an export continues only after an entry of its range',
    at: 'api/accounting/exports.ts#requirePosition',
    take: 'problem === null',
    put: 'problem !== undefined',
    test: { file: EXPORT, title: 'rejects a continuation after an entry outside the range' },
  },
  {
    rule: 'an organization has one export at a time, in both environments together',
    at: 'api/accounting/exports.ts#createExports',
    take: 'running.add(organizationId)',
    put: 'running.add(`${organizationId} ${tenant.environment}`)',
    test: { file: EXPORT, title: 'allows one export at a time per organization' },
  },
  {
    rule: 'an export is cut off after 15 minutes, and then does not look complete',
    at: 'api/accounting/export-response.ts#openExportResponse',
    take: 'setTimeout(close, maxDurationMs)',
    put: 'setTimeout(close, 3_600_000)',
    test: { file: EXPORT, title: 'does not look complete if it exceeds the maximum duration' },
  },
  {
    rule: 'the client continues an export with the view of its first part',
    at: 'api/client/export-entries.ts#exportEntries',
    take: 'view = { ...view, recordedUntil }',
    put: 'view = { ...view }',
    test: { file: CLIENT, title: 'has no entries that were recorded after its start' },
  },
  {
    rule: 'svc continues a partial export only with the same query',
    at: 'api/client/commands/part-state.ts#openPartState',
    take: 'findDifference(state.query, query)',
    put: 'null',
    test: {
      file: CLIENT,
      title: 'is not continued by svc with a different query, or for a different organization',
    },
  },
  {
    rule: 'an amount has all decimals of its token',
    at: 'api/accounting/formats/format-all-digits.ts#formatAllDigits',
    take: 'decimals + 1',
    put: 'decimals',
    test: { file: 'test/property/accounting-formats.test.ts', title: 'with all decimals of its token' },
  },
]
