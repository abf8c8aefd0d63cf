import { expect } from 'chai'
import fc from 'fast-check'
import { COLUMN_NAMES, type ColumnName } from '../../api/accounting/formats/columns.ts'
import { formatAllDigits } from '../../api/accounting/formats/format-all-digits.ts'
import { FORMATS } from '../../api/accounting/formats/formats.ts'
import { anyExportEntry, buildStyle } from '../support/export-entries.ts'
import { parseCsv } from '../support/parse-csv.ts'

describe('the formats of the accounting export', () => {
  it('write an amount with all decimals of its token and without loss', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        const text = formatAllDigits(units, decimals)
        expect(text).to.match(/^-?(0|[1-9]\d*)(\.\d+)?$/)
        expect(text.split('.')[1] ?? '').to.have.length(decimals)
        expect(BigInt(text.replace('.', ''))).to.equal(units)
      }),
    )
  })

  it('write a CSV with one row per leg, with its amount and a reference that is never a formula', () => {
    const columns: readonly ColumnName[] = COLUMN_NAMES
    fc.assert(
      fc.property(anyExportEntry, (entry) => {
        const text = FORMATS.csv.writeEntry(entry, buildStyle({ columns }))
        const rows = parseCsv(text)
        expect(rows).to.have.length(entry.legs.length)
        rows.forEach((row, index) => {
          const cell = (name: ColumnName) => row[columns.indexOf(name)] ?? ''
          expect(row).to.have.length(columns.length)
          expect(cell('amount_atomic')).to.equal(String(entry.legs[index]?.amount))
          const reference = entry.externalRef ?? ''
          expect(cell('external_ref').replaceAll("'", '')).to.equal(reference.replaceAll("'", ''))
          expect(cell('external_ref')).to.not.match(/^[=+\-@\t\r]/)
        })
        expect(text.replace(/"[^"]*"/g, '').replaceAll('\r\n', '')).to.not.match(/[\r\n]/)
      }),
    )
  })

  it('write NDJSON with one line per leg and the unchanged reference', () => {
    fc.assert(
      fc.property(anyExportEntry, (entry) => {
        const lines = FORMATS.json.writeEntry(entry, buildStyle()).split('\n').slice(0, -1)
        const legs = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
        expect(legs.map(({ amountAtomic }) => amountAtomic)).to.deep.equal(
          entry.legs.map(({ amount }) => String(amount)),
        )
        for (const leg of legs)
          expect(leg).to.include({ externalRef: entry.externalRef, entryId: entry.entryId })
      }),
    )
  })

  for (const format of ['hledger', 'beancount'] as const) {
    it(`write an entry for ${format} with one posting per leg and no line injected by a reference`, () => {
      fc.assert(
        fc.property(anyExportEntry, (entry) => {
          const [head = '', ...lines] = FORMATS[format].writeEntry(entry, buildStyle()).split('\n')
          expect(head).to.match(/^2026-\d\d-\d\d \* [("]/)
          expect(lines.slice(-2)).to.deep.equal(['', ''])
          const postings = lines.filter((line) => /^ {4}[A-Z]/.test(line))
          expect(postings).to.have.length(entry.legs.length)
          for (const posting of postings)
            expect(posting).to.match(/^ {4}[A-Z][\w:]+ +-?\d+\.(\d{6}|\d{18}) [A-Z]+$/)
          const facts = lines.slice(0, -2 - postings.length)
          for (const fact of facts) expect(fact).to.match(/^ {2}( {2}; )?[a-z]+: "?[\w]+"?$/)
        }),
      )
    })
  }
})
