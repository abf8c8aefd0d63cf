import type { ExportFormat } from './export-format.ts'
import { describeEntry, listTags, writePostings } from './journal-text.ts'

/**
 * A journal for beancount. The plugin opens the accounts, because an account may be opened only once and one book can
 * include several journals.
 */
export const BEANCOUNT: ExportFormat = {
  contentType: 'text/plain; charset=utf-8',
  fileExtension: 'beancount',
  writeHead: ({ environment, zone }) =>
    [
      `; ${environment} charges, accounting format 1, dates in ${zone.name}`,
      'option "inferred_tolerance_multiplier" "0"',
      'plugin "beancount.plugins.auto_accounts"',
      '\n',
    ].join('\n'),
  writeEntry: (entry, { zone }) => {
    const facts = [['entry', entry.entryId], ...listTags(entry)]
    const metadata = facts.map(([name, value]) => `  ${name}: ${quote(value ?? '')}\n`)
    return `${zone.formatDate(entry.postedAt)} * ${quote(describeEntry(entry))}\n${metadata.join('')}${writePostings(entry)}\n`
  },
  tail: '; end of the export\n',
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
