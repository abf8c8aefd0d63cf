import { readBooks } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { insertEntries } from '../../shared/db/accounting/daemon/insert-entries.ts'
import { listBookedChargeIds, lockForBooks } from '../../shared/db/accounting/daemon/list-booked-charges.ts'
import { listEntries } from '../../shared/db/accounting/entries-read.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { type Books, sumEntries } from '../../shared/domain/accounting/books.ts'
import type { AccountingEntry } from '../../shared/domain/accounting/entry.ts'
import { deriveEntries } from './derive-entries.ts'
import { groupByCharge } from './group-by-charge.ts'

/** Differences between the stored entries and those that follow from the ledgers. */
export type BooksComparison = {
  readonly charges: number
  /**
   * Entries that follow from the ledgers and were not stored. A rebuild stores them, unless the same charge also has a
   * wrong entry.
   */
  readonly missing: readonly string[]
  /** Stored entries that do not follow from the ledgers. A rebuild never changes them. */
  readonly wrong: readonly string[]
  /** Charges whose stored sums differ from their stored entries. The daemon books the next row from these sums. */
  readonly wrongSums: readonly string[]
}

/** Maximum charges per transaction. The turns of these charges wait until the transaction ends. */
const PAGE = 200

/**
 * Derives the entries of every charge with counted money from the ledgers, and compares them with the stored entries.
 *
 * @param options.isRebuild - whether to store missing entries, such as entries of charges that were paid before this
 * service wrote entries
 */
export async function compareBooks(
  sql: Sql,
  { isRebuild }: { readonly isRebuild: boolean },
): Promise<BooksComparison> {
  const pages: BooksComparison[] = []
  let after = ''
  for (;;) {
    const ids = await listBookedChargeIds(sql, { after, limit: PAGE })
    const last = ids.at(-1)
    if (last === undefined) break
    const page = await inTransaction(sql, (db) => comparePage(db, ids, isRebuild))
    pages.push({ charges: ids.length, ...page })
    after = last
  }
  return {
    charges: pages.reduce((sum, { charges }) => sum + charges, 0),
    missing: pages.flatMap(({ missing }) => missing),
    wrong: pages.flatMap(({ wrong }) => wrong),
    wrongSums: pages.flatMap((page) => page.wrongSums),
  }
}

async function comparePage(db: Db, ids: readonly string[], isRebuild: boolean) {
  await lockForBooks(db, ids)
  const derived = await deriveEntries(db, ids)
  const stored = await listEntries(db, { chargeIds: ids })
  const wrongSums = findWrongSums(stored, await readBooks(db, ids))
  const found = findDifferences(derived, stored)
  // A person must first examine a charge with a wrong entry, because the wrong entry might include the amount of a
  // missing entry.
  const doubtful = new Set(found.wrong.map(({ chargeId }) => chargeId))
  if (isRebuild)
    await insertEntries(
      db,
      found.missing.filter(({ chargeId }) => !doubtful.has(chargeId)),
    )
  return { missing: found.missing.map(getEntryId), wrong: found.wrong.map(getEntryId), wrongSums }
}

function findWrongSums(
  stored: readonly AccountingEntry[],
  books: ReadonlyMap<string, Books>,
): readonly string[] {
  const entries = groupByCharge(stored)
  return [...new Set([...entries.keys(), ...books.keys()])].filter(
    (id) => toSumsText(sumEntries(entries.get(id) ?? [])) !== toSumsText(books.get(id) ?? new Map()),
  )
}

function toSumsText(books: Books): string {
  const pairs = [...books].map(([key, { balances, counts, firstPaidAt, lastPaidAt, lastReleasedAt }]) => {
    const amounts = Object.entries(balances).map(([account, amount]) => `${account} ${amount}`)
    const numbers = Object.entries(counts).map(([category, count]) => `${category} ${count}`)
    return JSON.stringify([key, amounts.sort(), numbers.sort(), firstPaidAt, lastPaidAt, lastReleasedAt])
  })
  return pairs.sort().join()
}

function findDifferences(derived: readonly AccountingEntry[], stored: readonly AccountingEntry[]) {
  const expected = new Map(derived.map((entry) => [entry.entryId, toText(entry)]))
  const known = new Set(stored.map(({ entryId }) => entryId))
  return {
    missing: derived.filter(({ entryId }) => !known.has(entryId)),
    wrong: stored.filter((entry) => expected.get(entry.entryId) !== toText(entry)),
  }
}

function getEntryId({ entryId }: AccountingEntry): string {
  return entryId
}

/**
 * Returns an entry as text, without its block. A reorganization deeper than the confirmation depth can move a counted
 * row to another block, but the stored entry keeps the original block.
 */
function toText({ category, corrects, network, token, txHash, legs }: AccountingEntry): string {
  const amounts = legs.map(({ account, amountAtto, party }) => [account, String(amountAtto), party])
  return JSON.stringify([category, corrects, network, token, txHash, amounts])
}
