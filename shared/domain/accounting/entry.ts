import type { Address, Hex } from '../address.ts'
import type { AttoDollars } from '../money.ts'
import type { Pair } from '../networks.ts'

/**
 * Accounts of a merchant's books, as the merchant sees the money of a charge.
 *
 * - `clearing`: in the split and not distributed; `escrow`: in the Safe of an escrow charge
 * - `held`: in the split, because a recipient cannot be paid; `wallet`: paid to the merchant's own address
 * - `liability`: owed to the payer until it is earned or returned; `sales`: earned, at most the charge's amount
 * - `fee`: paid to the service; `incentive`: paid to the distributor; `share`: paid to a split recipient
 * - `rounding`: less than one unit of the token, which no split can pay out; occurs on Arc
 * - `refunds`: earned before, and returned to payers out of the merchant's wallet
 * - `uncredited`, `escrow_uncredited`: left the split or the Safe, but was not credited as a payment
 */
export const ACCOUNTS = [
  ...(['clearing', 'escrow', 'held', 'wallet', 'liability', 'sales'] as const),
  ...(['fee', 'incentive', 'share', 'rounding', 'refunds', 'uncredited', 'escrow_uncredited'] as const),
] as const

export type Account = (typeof ACCOUNTS)[number]

export const ENTRY_CATEGORIES = [
  ...(['payment', 'sale', 'payout', 'hold', 'release', 'escrow_release', 'escrow_refund'] as const),
  ...(['refund', 'adjustment'] as const),
] as const

export type EntryCategory = (typeof ENTRY_CATEGORIES)[number]

/** One line of an entry: a positive amount debits the account, a negative one credits it. */
export type Leg = {
  readonly account: Account
  /** In units of 10^-18 of the token. */
  readonly amountAtto: AttoDollars
  /** The other party: sender, recipient or distributor. */
  readonly party: Address | null
}

/** Pair and token contract of an entry. The sandbox has no chain and no token contract. */
export type EntryPlace = Pair & {
  readonly chainId: number | null
  readonly tokenAddress: Address | null
  readonly decimals: number
}

/** One double entry in one token. It is written once; a correction is a new entry. */
export type AccountingEntry = EntryPlace & {
  /** The same in every export and database: see `buildEntryId`. */
  readonly entryId: string
  readonly chargeId: string
  readonly category: EntryCategory
  /** Id of the entry that an adjustment corrects; otherwise `null`. */
  readonly corrects: string | null
  readonly txHash: Hex | null
  readonly blockNumber: number | null
  /** Time of the block that moved the money; for an adjustment or in the sandbox, the time of recording. */
  readonly postedAt: Date
  /** Time at which this service counted or struck the row; for an entry without a row, the time of the turn. */
  readonly countedAt: Date
  /** At least two; their amounts sum to zero. */
  readonly legs: readonly Leg[]
}
