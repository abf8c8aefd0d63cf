import type { Address } from '../address.ts'
import { distribute } from '../allocation.ts'
import { atomicToAtto, atto, attoToAtomicFloor } from '../money.ts'
import { balanceOf, type PairBooks } from './books.ts'
import type { Account, EntryCategory, Leg } from './entry.ts'
import type { LedgerFact } from './ledger-fact.ts'
import { getSplitRole, ROLE_ACCOUNTS, type SplitTermsOf } from './split-roles.ts'

/** The terms of a charge on which its entries depend. */
export type BookedTerms = SplitTermsOf & {
  readonly splitAddress: Address
  readonly escrowReleaser: Address | null
}

type FactOf = Pick<LedgerFact, 'event' | 'party' | 'amountAtto' | 'decimals'>

/** Zero address: the distributor in the event if the call named none, or named the split itself. */
const NOBODY = `0x${'0'.repeat(40)}`

/**
 * Returns the nonzero legs of a counted row. They sum to zero.
 *
 * @param pair - the books of the row's pair before the row is added
 */
export function buildLegs(terms: BookedTerms, fact: FactOf, pair: PairBooks | undefined): readonly Leg[] {
  return listLegs(terms, fact, { pair, sign: 1n }).filter(({ amountAtto }) => amountAtto !== 0n)
}

/**
 * Returns the legs that remove a counted row from the books. They are the opposite of the row's legs, except that the
 * money left in the split or the Safe is divided again: into credited and uncredited money and, in the split, into
 * whole units of the token and `rounding`.
 */
export function reverseLegs(terms: BookedTerms, fact: FactOf, pair: PairBooks | undefined): readonly Leg[] {
  return listLegs(terms, fact, { pair, sign: -1n }).filter(({ amountAtto }) => amountAtto !== 0n)
}

export function getCategory({ splitAddress }: BookedTerms, { event, party }: FactOf): EntryCategory {
  if (event === 'moved') return party === splitAddress ? 'escrow_release' : 'escrow_refund'
  return CATEGORIES[event]
}

const CATEGORIES = {
  credited: 'payment',
  distributed: 'payout',
  held: 'hold',
  released: 'release',
  refunded: 'refund',
} as const

/** The books of the row's pair before the entry, and the sign: 1 adds the row to the books, -1 removes it. */
type At = { readonly pair: PairBooks | undefined; readonly sign: 1n | -1n }

function listLegs(terms: BookedTerms, fact: FactOf, at: At): readonly Leg[] {
  const { event, party, amountAtto } = fact
  const change = amountAtto * at.sign
  const recipient = accountOf(terms, party)
  switch (event) {
    case 'credited':
      return [...listReceived(terms, fact, at), leg('liability', -change, party)]
    case 'distributed':
      return listDistributed(terms, fact, at)
    case 'held':
      return [leg('held', change, party), leg(recipient, -change, party)]
    case 'released':
      return [leg('held', -change, party), leg(recipient, change, party)]
    case 'refunded':
      return listRefunded(fact, at)
    case 'moved':
      return [...listChange('escrow', -change, { party, ...at }), ...listMoved(terms, fact, at)]
  }
}

/**
 * Books a refund first against money that is owed to the payer: an excess, or money that was never earned. The rest had
 * been earned and is booked to `refunds`.
 */
function listRefunded({ amountAtto, party }: FactOf, { pair, sign }: At): readonly Leg[] {
  const owed = 0n - balanceOf(pair, 'liability') - balanceOf(pair, 'escrow')
  const unearned = owed < 0n ? 0n : owed < amountAtto ? owed : amountAtto
  return [
    leg('liability', unearned * sign, party),
    leg('refunds', (amountAtto - unearned) * sign, party),
    leg('wallet', 0n - amountAtto * sign, null),
  ]
}

function listReceived(terms: BookedTerms, fact: FactOf, at: At): readonly Leg[] {
  if (terms.escrowReleaser === null) return listIntoSplit(fact, at)
  return listChange('escrow', fact.amountAtto * at.sign, { party: fact.party, ...at })
}

function listMoved(terms: BookedTerms, fact: FactOf, at: At): readonly Leg[] {
  if (fact.party === terms.splitAddress) return listIntoSplit(fact, at)
  return [leg('liability', fact.amountAtto * at.sign, fact.party)]
}

/**
 * Returns the legs of money that reaches the split. A split pays whole units of its token out of the sum that it
 * received (decisions 8.2). The fraction of a unit stays in the split and is booked to `rounding`, so `clearing` is
 * zero once everything is distributed.
 */
function listIntoSplit({ amountAtto, decimals, party }: FactOf, { pair, sign }: At): readonly Leg[] {
  const unit = 10n ** BigInt(18 - decimals)
  const received = amountAtto * sign
  const before = balanceOf(pair, 'rounding')
  const after = (((before + received) % unit) + unit) % unit
  const change = after - before
  return [...listChange('clearing', received - change, { pair, party }), leg('rounding', change, null)]
}

/** For each account of credited money in a contract, the account for money that left it beyond the credited amount. */
const UNCREDITED = { clearing: 'uncredited', escrow: 'escrow_uncredited' } as const

/**
 * Returns the legs that change the money in the split or the Safe. The contract's balance cannot be negative, so money
 * that leaves beyond the credited amount arrived uncredited: it was sent directly to the split of an escrow charge, or
 * its payment has not been found yet. The next credit first offsets that amount.
 */
function listChange(
  account: keyof typeof UNCREDITED,
  change: bigint,
  { pair, party }: { readonly pair: PairBooks | undefined; readonly party: Address | null },
): readonly Leg[] {
  const [credited, uncredited] = [balanceOf(pair, account), balanceOf(pair, UNCREDITED[account])]
  const after = credited + uncredited + change
  const rest = after > 0n ? after : 0n
  return [leg(account, rest - credited, party), leg(UNCREDITED[account], after - rest - uncredited, party)]
}

function listDistributed(
  terms: BookedTerms,
  { amountAtto, decimals, party }: FactOf,
  at: At,
): readonly Leg[] {
  const { pair, sign } = at
  const { splitTerms } = terms
  const isPaid = party !== null && party !== NOBODY
  const distributor = isPaid ? party : null
  const split = isPaid ? splitTerms : { ...splitTerms, distributionIncentive: 0 }
  const { incentive, payouts } = distribute({ amount: attoToAtomicFloor(amountAtto, decimals), split })
  return [
    ...listChange('clearing', 0n - amountAtto * sign, { pair, party: distributor }),
    leg('incentive', atomicToAtto(incentive, decimals) * sign, distributor),
    ...payouts.map((payout, index) => {
      const recipient = splitTerms.recipients[index] ?? null
      return leg(accountOf(terms, recipient), atomicToAtto(payout, decimals) * sign, recipient)
    }),
  ]
}

function accountOf(terms: BookedTerms, party: Address | null): Account {
  return ROLE_ACCOUNTS[getSplitRole(terms, party)]
}

function leg(account: Account, amount: bigint, party: Address | null): Leg {
  return { account, amountAtto: atto(amount), party }
}
