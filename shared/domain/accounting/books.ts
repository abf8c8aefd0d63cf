import type { AttoDollars } from '../money.ts'
import { atto } from '../money.ts'
import { pairKey } from '../networks.ts'
import type { Account, AccountingEntry, EntryCategory, EntryPlace } from './entry.ts'

/** Sums of a charge's entries in one pair. The sandbox has separate sums. */
export type PairBooks = EntryPlace & {
  readonly balances: Readonly<Partial<Record<Account, AttoDollars>>>
  /** Number of entries by category; a correction of a sale counts as a sale. */
  readonly counts: Readonly<Partial<Record<EntryCategory, number>>>
  /** Block times of the first and the last counted payment; `null` if no payment counts. */
  readonly firstPaidAt: Date | null
  readonly lastPaidAt: Date | null
  /** Block time of the last counted transfer from the Safe into the split; `null` if there is none. */
  readonly lastReleasedAt: Date | null
}

/** The books of one charge, by pair. */
export type Books = ReadonlyMap<string, PairBooks>

export function placeKey(place: EntryPlace): string {
  return `${pairKey(place)}${place.chainId === null ? ' simulated' : ''}`
}

export function balanceOf(books: Pick<PairBooks, 'balances'> | undefined, account: Account): AttoDollars {
  return books?.balances[account] ?? atto(0n)
}

export function countOf(books: Pick<PairBooks, 'counts'> | undefined, category: EntryCategory): number {
  return books?.counts[category] ?? 0
}

/** Returns the books of a charge from all of its entries. Struck payments and releases do not affect the times. */
export function sumEntries(entries: readonly AccountingEntry[]): Books {
  const struck = new Set(entries.map(({ corrects }) => corrects))
  const isTimed = ({ entryId }: AccountingEntry) => !struck.has(entryId)
  return entries.reduce<Books>((books, entry) => add(books, entry, isTimed(entry)), new Map())
}

/**
 * Returns the books with one more entry. A strike does not remove the time of the struck payment or release, because
 * the time that replaces it must be found among all entries; see `sumEntries`.
 */
export function post(books: Books, entry: AccountingEntry): Books {
  return add(books, entry, true)
}

function add(books: Books, entry: AccountingEntry, isTimed: boolean): Books {
  const { network, token, chainId, tokenAddress, decimals, legs, category, postedAt } = entry
  const key = placeKey(entry)
  const before = books.get(key)
  const balances = { ...before?.balances }
  for (const { account, amountAtto } of legs) balances[account] = atto((balances[account] ?? 0n) + amountAtto)
  const kind = isSale(entry) ? 'sale' : category
  return new Map(books).set(key, {
    ...{ network, token, chainId, tokenAddress, decimals, balances },
    counts: { ...before?.counts, [kind]: countOf(before, kind) + 1 },
    ...findTimes(before, { category: isTimed ? category : 'adjustment', postedAt }),
  })
}

function findTimes(
  before: PairBooks | undefined,
  { category, postedAt }: Pick<AccountingEntry, 'category' | 'postedAt'>,
): Pick<PairBooks, 'firstPaidAt' | 'lastPaidAt' | 'lastReleasedAt'> {
  const { firstPaidAt = null, lastPaidAt = null, lastReleasedAt = null } = before ?? {}
  const paidAt = category === 'payment' ? postedAt : null
  return {
    firstPaidAt: firstPaidAt !== null && (paidAt === null || firstPaidAt < paidAt) ? firstPaidAt : paidAt,
    lastPaidAt: findLatest(lastPaidAt, paidAt),
    lastReleasedAt: findLatest(lastReleasedAt, category === 'escrow_release' ? postedAt : null),
  }
}

export function findLatest(...times: readonly (Date | null)[]): Date | null {
  return times.reduce((latest, at) => (latest === null || (at !== null && at > latest) ? at : latest), null)
}

function isSale({ entryId }: AccountingEntry): boolean {
  return entryId.startsWith('sa_')
}
