import { execFileSync } from 'node:child_process'
import { parseUnits } from 'viem'
import { COMMODITIES } from '../../../api/accounting/formats/commodity.ts'
import { parseCsv } from '../parse-csv.ts'
import { addAmount } from './figures.ts'

/** A program that reads journals. It comes from a Debian package, not from npm. */
export type JournalProgram = {
  readonly name: string
  /** The command that must be installed. */
  readonly command: string
  readonly format: 'hledger' | 'beancount'
  /** Returns the arguments of a check that fails if the journal is invalid. */
  readonly check: (file: string) => readonly string[]
  /** Returns the command that prints accounts, commodities and amounts, with all digits. */
  readonly list: (file: string) => readonly string[]
}

/**
 * Options for 18 fractional digits. By default, hledger rounds to the number of digits that the journal declares for
 * the commodity.
 */
const ALL_DIGITS = Object.keys(COMMODITIES).flatMap((name) => ['-c', `1.${'0'.repeat(18)} ${name}`])

export const JOURNAL_PROGRAMS: readonly JournalProgram[] = [
  {
    ...{ name: 'hledger', command: 'hledger', format: 'hledger' },
    check: (file) => ['-f', file, 'check'],
    list: (file) => ['hledger', '-f', file, 'balance', '-N', '-O', 'csv', '--layout=bare', ...ALL_DIGITS],
  },
  {
    ...{ name: 'ledger', command: 'ledger', format: 'hledger' },
    check: (file) => ['-f', file, '--strict', 'balance'],
    list: (file) => ['ledger', '-f', file, 'register', '--unround', '--format', LEDGER_LINE],
  },
  {
    ...{ name: 'beancount', command: 'bean-check', format: 'beancount' },
    check: (file) => [file],
    // `bean-query` rounds its output. This path is the Python that Debian's package uses.
    list: (file) => ['/usr/bin/python3', '-c', LIST_POSTINGS, file],
  },
]

const LIST_POSTINGS = `
import sys
from beancount import loader
for entry in loader.load_file(sys.argv[1])[0]:
    for posting in getattr(entry, 'postings', []):
        print(posting.account, posting.units.currency, '{:f}'.format(posting.units.number), sep=',')
`

const LEDGER_LINE = '%(account),%(commodity),%(quantity(amount))\n'

/**
 * Checks a journal.
 *
 * @throws {Error} with the program's output if the program rejects the journal
 */
export function checkJournal({ command, check }: JournalProgram, file: string): void {
  run([command, ...check(file)])
}

/**
 * Returns the balance of each account in each commodity, in units of 10^-18. Adds up the amounts that the program
 * prints.
 */
export function readJournal({ list }: JournalProgram, file: string): ReadonlyMap<string, bigint> {
  const balances = new Map<string, bigint>()
  // The first row can be a header.
  for (const [account = '', commodity = '', amount = ''] of parseCsv(
    run(list(file)).replace(/\r?\n/g, '\r\n'),
  ))
    if (isAmount(amount)) addAmount(balances, `${account} ${commodity}`, parseUnits(amount.trim(), 18))
  return balances
}

function isAmount(text: string): boolean {
  return /\d/.test(text)
}

function run([command = '', ...args]: readonly string[]): string {
  return execFileSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
