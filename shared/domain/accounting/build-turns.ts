import { type Books, post, sumEntries } from './books.ts'
import { type BookedCharge, buildEntries, buildReversals } from './build-entries.ts'
import type { AccountingEntry } from './entry.ts'
import type { LedgerFact } from './ledger-fact.ts'

/** A turn of a charge: the charge after the turn, and the rows that the turn counted or struck. */
export type BookedTurn = {
  readonly charge: BookedCharge
  readonly now: Date
  readonly facts: readonly LedgerFact[]
}

/**
 * Returns the entries of all turns of a charge, in the order of the turns. Pure.
 *
 * Each fact is read a constant number of times, because anyone can send dust to a charge. Each turn with a strike reads
 * all earlier entries again, which is acceptable because only an operator can strike a row.
 */
export function buildTurns(turns: readonly BookedTurn[]): readonly AccountingEntry[] {
  const entries: AccountingEntry[] = []
  let books: Books = new Map()
  for (const { charge, now, facts } of turns) {
    const strikes = facts.filter(({ struckAt }) => struckAt !== null)
    const isStrike = strikes.length > 0
    entries.push(...buildReversals(charge, { books, strikes }))
    if (isStrike) books = sumEntries(entries)
    const counted = facts.filter(({ struckAt }) => struckAt === null)
    const written = buildEntries(charge, { books, facts: counted, now, isStrike })
    entries.push(...written)
    books = written.reduce(post, books)
  }
  return entries
}
