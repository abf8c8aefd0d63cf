import { invariant } from '../errors.ts'
import { atto, type MicroDollars } from '../money.ts'
import { type Books, balanceOf, countOf, type PairBooks, placeKey, post } from './books.ts'
import type { AccountingEntry, EntryCategory, Leg } from './entry.ts'
import { buildAdjustmentId, buildEntryId, buildStateEntryId } from './entry-id.ts'
import { type BookedTerms, buildLegs, getCategory, reverseLegs } from './fact-legs.ts'
import type { LedgerFact } from './ledger-fact.ts'
import { findEarnedAt, findSalesChanges, type SalesChange } from './sales.ts'

/** The facts about a charge on which its books depend. */
export type BookedCharge = BookedTerms & {
  readonly id: string
  readonly amountMicro: MicroDollars
  readonly isConfirmed: boolean
  readonly isSettled: boolean
  readonly escrowEnd: 'released' | 'refunded' | null
}

/**
 * Returns the entries that a charge's new rows and state require, except entries for strikes (see `buildReversals`).
 * Pure.
 *
 * The movements of money are calculated from the rows, with the same arithmetic as the contract. The earned amount
 * depends on the charge's state. In the sandbox, where no chain moves money, the payout of a settled charge and the
 * transfer at the end of an escrow also depend on the state.
 *
 * @param page.books - the sums of the charge's earlier entries
 * @param page.facts - the charge's new rows, without strikes, in the order in which they were mined
 * @param page.isStrike - whether the turn follows the strike of a row; if so, its sales are dated at `page.now`
 * @throws {Error} with the charge's id, if the legs of an entry do not sum to zero, or the terms or rows are not valid
 */
export function buildEntries(charge: BookedCharge, page: Page): readonly AccountingEntry[] {
  return nameBooks(charge, () => buildPage(charge, page))
}

/**
 * Returns the entries that remove struck rows of a charge from its books; each names the entry that it corrects.
 * Afterwards, the caller must build the changes of sales from the sums of all entries, including these.
 *
 * @param page.books - the sums of the charge's earlier entries
 * @throws {Error} as `buildEntries` does
 */
export function buildReversals(
  charge: BookedCharge,
  page: { readonly books: Books; readonly strikes: readonly LedgerFact[] },
): readonly AccountingEntry[] {
  return nameBooks(charge, () => {
    const posting = startPosting(page.books)
    for (const strike of page.strikes) posting.write(draftFact(charge, strike, posting.books()))
    return posting.entries
  })
}

/** Wraps any error in an error that names the charge, because the error quarantines the charge. */
function nameBooks<T>({ id }: BookedCharge, build: () => T): T {
  try {
    return build()
  } catch (cause) {
    throw new Error(`the books of ${id} cannot be derived: ${String(cause)}`, { cause })
  }
}

type Page = {
  readonly books: Books
  readonly facts: readonly LedgerFact[]
  readonly now: Date
  readonly isStrike: boolean
}

function buildPage(charge: BookedCharge, { books, facts, now, isStrike }: Page): readonly AccountingEntry[] {
  const posting = startPosting(books)
  for (const fact of facts) posting.write(draftFact(charge, fact, posting.books()))
  listSimulated(charge, posting.books(), now).forEach(posting.write)
  const isEarned = charge.escrowReleaser === null ? charge.isConfirmed : charge.escrowEnd === 'released'
  const sales = findSalesChanges(posting.books(), { amountMicro: charge.amountMicro, isEarned })
  // A change caused by a strike is dated at the time it is recorded, like the strike itself.
  const { entries } = posting
  const earnedAt = isStrike || sales.length === 0 ? now : findEarnedAt(charge, { books, entries })
  for (const sale of sales) posting.write(draftSale(charge, sale, { now, earnedAt: earnedAt ?? now }))
  return entries
}

function startPosting(before: Books) {
  const entries: AccountingEntry[] = []
  let books = before
  const write = (entry: AccountingEntry): void => {
    requireBalanced(entry)
    if (entry.legs.length === 0) return
    books = post(books, entry)
    entries.push(entry)
  }
  return { entries, books: () => books, write }
}

function requireBalanced({ entryId, legs }: Pick<AccountingEntry, 'entryId' | 'legs'>): void {
  const sum = legs.reduce((all, { amountAtto }) => all + amountAtto, 0n)
  invariant(sum === 0n, `the legs of entry ${entryId} sum to ${sum} instead of 0`)
}

function draftFact(charge: BookedCharge, fact: LedgerFact, books: Books): AccountingEntry {
  const pair = books.get(placeKey(fact))
  const entryId = buildEntryId(fact)
  const common = { ...placeOf(fact), chargeId: charge.id, txHash: fact.txHash, blockNumber: fact.blockNumber }
  if (fact.struckAt !== null)
    return {
      ...common,
      ...{ entryId: buildAdjustmentId(entryId), category: 'adjustment', corrects: entryId },
      ...{ postedAt: fact.struckAt, countedAt: fact.struckAt, legs: reverseLegs(charge, fact, pair) },
    }
  return {
    ...common,
    ...{ entryId, category: getCategory(charge, fact), corrects: null },
    ...{ postedAt: fact.minedAt, countedAt: fact.countedAt, legs: buildLegs(charge, fact, pair) },
  }
}

/** In the sandbox, payouts and escrow ends are states of the charge and not rows. */
function listSimulated(charge: BookedCharge, books: Books, now: Date): readonly AccountingEntry[] {
  return [...books].flatMap(([key, pair]) => {
    if (pair.chainId !== null) return []
    const end = draftSimulatedEnd(charge, { key, pair, now })
    const ended = end === null ? pair : (post(books, end).get(key) ?? pair)
    const payout = charge.isSettled ? draftSimulatedPayout(charge, { key, pair: ended, now }) : null
    return [end, payout].filter((entry) => entry !== null)
  })
}

type At = { readonly key: string; readonly pair: PairBooks; readonly now: Date }

/** Returns `null` unless the escrow has just ended, because later money stays in the Safe (decisions 4.4). */
function draftSimulatedEnd(charge: BookedCharge, { key, pair, now }: At): AccountingEntry | null {
  const { escrowEnd, splitAddress } = charge
  const hasMoved = countOf(pair, 'escrow_release') + countOf(pair, 'escrow_refund') > 0
  const amountAtto = balanceOf(pair, 'escrow')
  if (escrowEnd === null || hasMoved || amountAtto <= 0n) return null
  const party = escrowEnd === 'released' ? splitAddress : null
  const legs = buildLegs(charge, { event: 'moved', party, amountAtto, decimals: pair.decimals }, pair)
  const category = escrowEnd === 'released' ? 'escrow_release' : 'escrow_refund'
  return draftState(charge, { key, pair, now, prefix: 'es', category, legs, count: 0 })
}

function draftSimulatedPayout(charge: BookedCharge, { key, pair, now }: At): AccountingEntry | null {
  const amountAtto = balanceOf(pair, 'clearing')
  if (amountAtto <= 0n) return null
  const legs = buildLegs(
    charge,
    { event: 'distributed', party: null, amountAtto, decimals: pair.decimals },
    pair,
  )
  const count = countOf(pair, 'payout')
  return draftState(charge, { key, pair, now, prefix: 'di', category: 'payout', legs, count })
}

type SaleTimes = { readonly now: Date; readonly earnedAt: Date }

function draftSale(
  charge: BookedCharge,
  { key, pair, changeAtto }: SalesChange,
  { now, earnedAt }: SaleTimes,
): AccountingEntry {
  const count = countOf(pair, 'sale')
  const legs: readonly Leg[] = [
    { account: 'liability', amountAtto: changeAtto, party: null },
    { account: 'sales', amountAtto: atto(0n - changeAtto), party: null },
  ]
  const category = changeAtto > 0n ? 'sale' : 'adjustment'
  const postedAt = pair.chainId === null || changeAtto < 0n ? now : earnedAt
  return { ...draftState(charge, { key, pair, now, prefix: 'sa', category, legs, count }), postedAt }
}

function draftState(
  { id: chargeId }: BookedCharge,
  state: At & {
    readonly prefix: 'sa' | 'di' | 'es'
    readonly category: EntryCategory
    readonly legs: readonly Leg[]
    readonly count: number
  },
): AccountingEntry {
  const { key: place, pair, now, prefix, category, legs, count } = state
  const corrects = category === 'adjustment' ? buildStateEntryId(prefix, { chargeId, place, count: 0 }) : null
  return {
    ...placeOf(pair),
    ...{ entryId: buildStateEntryId(prefix, { chargeId, place, count }), chargeId, category, corrects },
    ...{ txHash: null, blockNumber: null, legs, postedAt: now, countedAt: now },
  }
}

function placeOf({ network, token, chainId, tokenAddress, decimals }: PairBooks | LedgerFact) {
  return { network, token, chainId, tokenAddress, decimals }
}
