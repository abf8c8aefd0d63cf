import { FIXED_ACCOUNT_NAMES } from './account-name.ts'
import { COMMODITIES } from './commodity.ts'
import type { ExportFormat } from './export-format.ts'
import { describeEntry, listTags, TAG_NAMES, writePostings } from './journal-text.ts'

/** A journal for hledger and ledger. */
export const HLEDGER: ExportFormat = {
  contentType: 'text/plain; charset=utf-8',
  fileExtension: 'journal',
  writeHead: ({ environment, zone }) =>
    [
      `; ${environment} charges, accounting format 1, dates in ${zone.name}`,
      ...Object.entries(COMMODITIES).flatMap(([name, digits]) => [
        `commodity ${name}`,
        `    format 1000.${'0'.repeat(digits)} ${name}`,
      ]),
      ...FIXED_ACCOUNT_NAMES.map((name) => `account ${name}`),
      ...TAG_NAMES.map((name) => `tag ${name}`),
      '\n',
    ].join('\n'),
  writeEntry: (entry, { zone }) => {
    const tags = listTags(entry).map(([name, value]) => `    ; ${name}: ${value}\n`)
    // A semicolon would begin a comment, and a vertical bar would end the payee's name.
    const description = describeEntry(entry).replace(/[;|]/g, ',')
    return `${zone.formatDate(entry.postedAt)} * (${entry.entryId}) ${description}\n${tags.join('')}${writePostings(entry)}\n`
  },
  tail: '; end of the export\n',
}
