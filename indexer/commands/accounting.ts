import { CommandError, parseOptions } from '../../shared/runtime/command-line.ts'
import { type BooksComparison, compareBooks } from '../charges/rebuild-entries.ts'
import { runCommand, selectCommand, withOperator } from './command.ts'

const USAGE = `Compares the accounting entries of all charges with the ledgers; rebuild also adds the entries that are missing.

  npm run accounting -- check
  npm run accounting -- rebuild

The daemon writes an entry in the transaction that counts a payment, a payout or a strike. Charges that were paid before the
service wrote accounting entries have none: run rebuild once after the upgrade. rebuild only adds entries, and skips charges
with an entry that differs from the ledgers. Both commands list at most 20 such entries, and never change them, because
merchants may already have exported them. Both commands lock 200 charges at a time, so payments to those charges are counted
slightly later. OPERATOR_DATABASE_URL names the database.
`

await runCommand({
  usage: USAGE,
  run: selectCommand({
    check: (args) => compare(args, { isRebuild: false }),
    rebuild: (args) => compare(args, { isRebuild: true }),
  }),
})

async function compare(
  args: string[],
  { isRebuild }: { readonly isRebuild: boolean },
): Promise<readonly string[]> {
  parseOptions(args, {})
  const compared = await withOperator((sql) => compareBooks(sql, { isRebuild }))
  const isComplete = isRebuild || compared.missing.length === 0
  const isRight = isComplete && compared.wrong.length === 0 && compared.wrongSums.length === 0
  if (!isRight) throw new CommandError(present(compared, isRebuild).join('\n'))
  return present(compared, isRebuild)
}

const MAX_LISTED = 20

function present(
  { charges, missing, wrong, wrongSums }: BooksComparison,
  isRebuild: boolean,
): readonly string[] {
  const exception = wrong.length === 0 ? '' : ', except entries of charges with a differing entry'
  return [
    `Compared charges: ${charges}.`,
    `Missing entries${isRebuild ? ` (added${exception})` : ''}: ${missing.length}.`,
    `Entries that differ from the ledgers: ${wrong.length}.`,
    ...wrong.slice(0, MAX_LISTED),
    ...(wrongSums.length === 0
      ? []
      : [`Charges with sums that differ from their entries: ${wrongSums.length}.`]),
    ...wrongSums.slice(0, MAX_LISTED),
  ]
}
