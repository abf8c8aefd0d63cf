import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import { BEANCOUNT } from '../../../api/accounting/formats/beancount.ts'
import { HLEDGER } from '../../../api/accounting/formats/hledger.ts'
import { JOURNAL_PROGRAMS } from '../../support/books/journal-balances.ts'
import { describeIfInstalled } from '../../support/describe-if-installed.ts'
import { anyExportEntry, buildExportEntry, buildStyle } from '../../support/export-entries.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

/** Random entries of one year with hostile references, the same in every run. */
const ENTRIES = fc.sample(anyExportEntry, { numRuns: 300, seed: 34 })

const FORMATS = { hledger: HLEDGER, beancount: BEANCOUNT } as const

for (const { name, command, check, format: formatName } of JOURNAL_PROGRAMS) {
  const format = FORMATS[formatName]
  // The program is a Debian package, not an npm package.
  describeIfInstalled(command)(`a journal, read by ${name}`, function () {
    this.timeout(240_000)

    let directory: string

    before(async () => {
      directory = await temporaryDirectory('journals')
    })

    it('is accepted', async () => {
      const { stderr } = await run(await write(ENTRIES))
      expect(stderr.replace(/^Warning: .*Unknown account 'Expenses:Splits:.*\n/gm, '')).to.equal('')
    })

    if (formatName === 'hledger') {
      it('balances to zero', async () => {
        const { stdout } = await promisify(execFile)(command, ['-f', await write(ENTRIES), 'balance'])
        const [, total = ''] = stdout.split(/^-+$/m)
        expect(total.trim()).to.match(/^0(\s+0)*$/)
      })
    }

    it('is rejected if one leg is off by one unit, which proves that the program checks the sums', async () => {
      const { legs, ...entry } = buildExportEntry()
      const [first, ...others] = legs
      if (first === undefined) throw new Error('no leg')
      const spoilt = { ...entry, legs: [{ ...first, amount: first.amount + 1n }, ...others] }
      const failure = await run(await write([...ENTRIES, spoilt])).catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(Error)
    })

    async function write(entries: typeof ENTRIES): Promise<string> {
      const style = buildStyle()
      const text = entries.map((entry) => format.writeEntry(entry, style)).join('')
      const file = join(directory, `month.${format.fileExtension}`)
      await writeFile(file, `${format.writeHead(style)}${text}${format.tail}`)
      return file
    }

    function run(file: string) {
      return promisify(execFile)(command, check(file))
    }
  })
}
