import type { Mutant } from '../mutant.ts'

const EXPORT = 'test/integration/api/accounting-export.test.ts'
const FORMATS = 'test/unit/api/accounting-formats.test.ts'

/** Guarantees of the accounting export. */
export const EXPORTING_RULES: readonly Mutant[] = [
  {
    rule: 'no text of an entry is written unless its legs sum to zero',
    at: 'api/accounting/to-export-entry.ts#toExportEntry',
    take: 'requireBalancedEntry(entry)',
    put: '',
    test: { file: EXPORT, title: 'writes no part of an entry if the sum of its legs differs from zero' },
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
    rule: 'a reference that a spreadsheet would execute is text',
    at: 'api/accounting/formats/csv.ts#disarmFormula',
    take: "`'${text}`",
    put: 'text',
    test: { file: FORMATS, title: 'so that a spreadsheet shows it as text' },
  },
  {
    rule: 'an amount has all digits of its token',
    at: 'api/accounting/formats/format-all-digits.ts#formatAllDigits',
    take: 'decimals + 1',
    put: 'decimals',
    test: { file: 'test/property/accounting-formats.test.ts', title: 'with all digits of its token' },
  },
]
