import type { Address } from '../address.ts'
import { distribute } from '../allocation.ts'
import { type AttoDollars, atomicToAtto, atto, attoToAtomicFloor } from '../money.ts'
import { balanceOf, type PairBooks } from './books.ts'
import type { Account, EntryCategory, Leg } from './entry.ts'
import type { LedgerFact } from './ledger-fact.ts'
import { getSplitRole, listSplitRoles, ROLE_ACCOUNTS, type SplitTermsOf } from './split-roles.ts'

/** The terms of a charge that its entries depend on. */
export type BookedTerms = SplitTermsOf & {
  readonly splitAddress: Address
  readonly escrowReleaser: Address | null
}

type FactOf = Pick<LedgerFact, 'event' | 'party' | 'amountAtto' | 'decimals'>

/** The event's distributor, if it named nobody or the split itself. */
const NOBODY = `0x${'0'.repeat(40)}`

/**
 * Returns the legs of a row that counted; the sum is zero. Legs of zero are omitted.
 *
 * @param pair - the books of its pair before it
 */
export function buildLegs(terms: BookedTerms, fact: FactOf, pair: PairBooks | undefined): readonly Leg[] {
  return listLegs(terms, fact, pair).filter(({ amountAtto }) => amountAtto !== 0n)
}

/**
 * Returns the legs that remove a counted row from the books: the opposite of its legs, except for amounts below one unit
 * of the token, because the amount that a split can pay out of the rest must be rounded again.
 */
export function reverseLegs(terms: BookedTerms, fact: FactOf, pair: PairBooks | undefined): readonly Leg[] {
  if (fact.event === 'credited' || fact.event === 'moved')
    return buildLegs(terms, { ...fact, amountAtto: atto(0n - fact.amountAtto) }, pair)
  return buildLegs(terms, fact, pair).map((leg) => ({ ...leg, amountAtto: atto(0n - leg.amountAtto) }))
}

/** Returns the category of a row's entry. */
export function getCategory({ splitAddress }: BookedTerms, { event, party }: FactOf): EntryCategory {
  if (event === 'moved') return party === splitAddress ? 'escrow_release' : 'escrow_refund'
  return CATEGORIES[event]
}

const CATEGORIES = { credited: 'payment', distributed: 'payout', held: 'hold', released: 'release' } as const

function listLegs(terms: BookedTerms, fact: FactOf, pair: PairBooks | undefined): readonly Leg[] {
  const { event, party, amountAtto } = fact
  switch (event) {
    case 'credited':
      return [...listReceived(terms, fact, pair), leg('liability', atto(0n - amountAtto), party)]
    case 'distributed':
      return listDistributed(terms, fact)
    case 'held':
      return [leg('held', amountAtto, party), leg(accountOf(terms, party), atto(0n - amountAtto), party)]
    case 'released':
      return [leg('held', atto(0n - amountAtto), party), leg(accountOf(terms, party), amountAtto, party)]
    case 'moved':
      return [leg('escrow', atto(0n - amountAtto), party), ...listMoved(terms, fact, pair)]
  }
}

function listReceived(terms: BookedTerms, fact: FactOf, pair: PairBooks | undefined): readonly Leg[] {
  if (terms.escrowReleaser !== null) return [leg('escrow', fact.amountAtto, fact.party)]
  return listIntoSplit(fact, pair)
}

function listMoved(terms: BookedTerms, fact: FactOf, pair: PairBooks | undefined): readonly Leg[] {
  if (fact.party === terms.splitAddress) return listIntoSplit(fact, pair)
  return [leg('liability', fact.amountAtto, fact.party)]
}

/**
 * A split pays whole units of its token out of the sum that it received (decisions 8.2). The rest of that sum stays in
 * it and is booked to `rounding`, so `clearing` is zero once everything is distributed.
 */
function listIntoSplit({ amountAtto, decimals, party }: FactOf, pair: PairBooks | undefined): readonly Leg[] {
  const unit = 10n ** BigInt(18 - decimals)
  const before = balanceOf(pair, 'rounding')
  const after = (((before + amountAtto) % unit) + unit) % unit
  const change = after - before
  return [leg('clearing', atto(amountAtto - change), party), leg('rounding', atto(change), null)]
}

function listDistributed(terms: BookedTerms, { amountAtto, decimals, party }: FactOf): readonly Leg[] {
  const { splitTerms } = terms
  const isPaid = party !== null && party !== NOBODY
  const distributor = isPaid ? party : null
  const split = isPaid ? splitTerms : { ...splitTerms, distributionIncentive: 0 }
  const { incentive, payouts } = distribute({ amount: attoToAtomicFloor(amountAtto, decimals), split })
  const roles = listSplitRoles(terms)
  return [
    leg('clearing', atto(0n - amountAtto), distributor),
    leg('incentive', atomicToAtto(incentive, decimals), distributor),
    ...payouts.map((payout, index) =>
      leg(
        ROLE_ACCOUNTS[roles[index] ?? 'recipient'],
        atomicToAtto(payout, decimals),
        splitTerms.recipients[index] ?? null,
      ),
    ),
  ]
}

function accountOf(terms: BookedTerms, party: Address | null): Account {
  return ROLE_ACCOUNTS[getSplitRole(terms, party)]
}

function leg(account: Account, amountAtto: AttoDollars, party: Address | null): Leg {
  return { account, amountAtto, party }
}
