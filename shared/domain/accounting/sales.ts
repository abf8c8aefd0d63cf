import { type AttoDollars, atto, type MicroDollars, microToAtto } from '../money.ts'
import { type Books, balanceOf, findLatest, type PairBooks, post } from './books.ts'
import type { AccountingEntry } from './entry.ts'

/** A pair and the change of its sales, which is negative if counted money was struck. */
export type SalesChange = { readonly key: string; readonly pair: PairBooks; readonly changeAtto: AttoDollars }

/**
 * Returns the changes of sales that the books of a charge require. At most the charge's amount is earned. An excess,
 * and all money of a charge that never confirmed, stays owed to the payer until the merchant refunds it.
 *
 * @param isEarned - whether the charge is confirmed or, with an escrow, released
 */
export function findSalesChanges(
  books: Books,
  { amountMicro, isEarned }: { readonly amountMicro: MicroDollars; readonly isEarned: boolean },
): readonly SalesChange[] {
  const lost = [...books].flatMap(([key, pair]) => listLost(key, pair))
  return isEarned ? [...lost, ...listSold(books, { amountMicro, lost })] : lost
}

/** Returns the decrease of sales of a pair whose money was struck, if any. */
function listLost(key: string, pair: PairBooks): readonly SalesChange[] {
  // Rounded up to whole units, so that the remaining sales are whole units too.
  const lost = 0n - wholeUnitsBelow(getUnearned(pair), pair)
  const sold = 0n - balanceOf(pair, 'sales')
  const changeAtto = atto(-(lost < sold ? lost : sold))
  return changeAtto < 0n ? [{ key, pair, changeAtto }] : []
}

/**
 * Lists the increases of sales in the order of each pair's first payment on chain, because this order is the same when
 * the books are derived again.
 */
function listSold(
  books: Books,
  { amountMicro, lost }: { readonly amountMicro: MicroDollars; readonly lost: readonly SalesChange[] },
): readonly SalesChange[] {
  const booked = [...books.values()].reduce((sum, pair) => sum - balanceOf(pair, 'sales'), 0n)
  let missing = microToAtto(amountMicro) - lost.reduce((sum, { changeAtto }) => sum + changeAtto, booked)
  return sortByFirstPayment(books).flatMap(([key, pair]) => {
    const open = getUnearned(pair)
    const changeAtto = wholeUnitsBelow(open < missing ? open : missing, pair)
    if (changeAtto > 0n) missing -= changeAtto
    return changeAtto > 0n ? [{ key, pair, changeAtto: atto(changeAtto) }] : []
  })
}

function sortByFirstPayment(books: Books): readonly (readonly [string, PairBooks])[] {
  return [...books].sort(([key, { firstPaidAt: at }], [otherKey, { firstPaidAt: otherAt }]) => {
    const [time, otherTime] = [at?.getTime() ?? 0, otherAt?.getTime() ?? 0]
    if (time !== otherTime) return time - otherTime
    return key < otherKey ? -1 : 1
  })
}

/**
 * Returns the time of the block that completed the charge's amount: the block of the payment or, with an escrow, of the
 * transfer into the split. An excess that arrives later therefore does not move a sale into another month.
 *
 * @param at.books - the books before the entries
 * @param at.entries - the entries of the turn in which the amount was earned, in their order
 * @returns the time; `null` if the books contain no such payment or transfer
 */
export function findEarnedAt(
  { amountMicro, escrowReleaser }: { readonly amountMicro: MicroDollars; readonly escrowReleaser: unknown },
  at: { readonly books: Books; readonly entries: readonly AccountingEntry[] },
): Date | null {
  let { books } = at
  for (const entry of at.entries) {
    if (sumEarnable(books) >= microToAtto(amountMicro)) break
    books = post(books, entry)
  }
  const times = [...books.values()].map((pair) =>
    escrowReleaser === null ? pair.lastPaidAt : pair.lastReleasedAt,
  )
  return findLatest(...times)
}

/** Returns the amount that is earned or could be earned now: all of the payer's money outside the Safe. */
function sumEarnable(books: Books): bigint {
  return [...books.values()].reduce((sum, pair) => sum + getUnearned(pair) - balanceOf(pair, 'sales'), 0n)
}

/** Returns the money that is not earned yet, except for money in the Safe, which might return to the payer. */
function getUnearned(pair: PairBooks): AttoDollars {
  return atto(0n - balanceOf(pair, 'liability') - balanceOf(pair, 'escrow'))
}

/** Rounds down to whole units, because the token's decimals cannot express a fraction of a unit. */
function wholeUnitsBelow(amountAtto: bigint, { decimals }: PairBooks): bigint {
  const unit = 10n ** BigInt(18 - decimals)
  return amountAtto - (((amountAtto % unit) + unit) % unit)
}
