import type { Address } from './address.ts'
import { invariant } from './errors.ts'
import { type AtomicUnits, atomic, divFloor } from './money.ts'
import { HUNDRED_PERCENT, type Percent } from './percent.ts'

/** The whole, in the unit of allocations and incentive: one millionth. See contracts/src/Split.sol. */
export const TOTAL_ALLOCATION = 1_000_000

/** The largest incentive the contract accepts: 5 %, in millionths. See contracts/src/Split.sol. */
export const MAX_DISTRIBUTION_INCENTIVE = 50_000

/** The terms a split's address commits to, field by field those of the contract. */
export type Split = {
  /** The merchant first, if anything is left for him; the first gets what rounding leaves. One may stand twice. */
  readonly recipients: readonly Address[]
  /** One for each recipient, in millionths of what is left after the incentive. */
  readonly allocations: readonly number[]
  /** The sum of `allocations`; always 1,000,000. */
  readonly totalAllocation: number
  /** What whoever distributes gets, in millionths of the whole amount. */
  readonly distributionIncentive: number
}

/** Who is to be paid what part of a charge, before anything is rounded. */
export type AllocationTerms = {
  /** The service's fee, of the gross amount. */
  readonly feePercent: Percent
  /** The keeper's incentive, of the gross amount; it comes out of the fee, and is never more than the fee. */
  readonly distributorFeePercent: Percent
  readonly merchant: Address
  readonly treasury: Address
  /** Each one's percent is a share of the merchant's net share. */
  readonly splitRecipients: readonly { readonly address: Address; readonly percent: Percent }[]
}

export type AllocationResult =
  | { readonly ok: true; readonly split: Split }
  | { readonly ok: false; readonly code: 'split_recipients_exceed_available_percent' }

type Share = { readonly address: Address; readonly allocation: number }

/**
 * Rounds the exact shares of a charge to the millionths that its split contract pays.
 *
 * Everyone but the merchant gets the floor of their share of what the incentive leaves, and the merchant the rest,
 * so the sum is exactly 1,000,000. A split recipient whose floor is 0 gets 1, taken from the merchant. Whoever
 * ends with nothing is left out: the contract knows no empty allocation.
 *
 * @returns not ok if the percents exceed `100 - feePercent`, or if rounding would take all the merchant is due
 * @throws {Error} if the incentive is more than the contract's 5 %
 * @see decisions 1.7 and 1.8
 */
export function allocate(terms: AllocationTerms): AllocationResult {
  const given = terms.splitRecipients.reduce((sum, { percent }) => sum + percent, 0n)
  if (given > HUNDRED_PERCENT - terms.feePercent) return REFUSED

  const distributionIncentive = incentiveOf(terms)
  const others = [
    ...allocateRecipients(terms, distributionIncentive),
    allocateTreasury(terms, distributionIncentive),
  ]
  const merchantAllocation = others.reduce((rest, { allocation }) => rest - allocation, TOTAL_ALLOCATION)

  const isMerchantDue = terms.feePercent < HUNDRED_PERCENT && given < HUNDRED_PERCENT
  if (merchantAllocation < 0 || (merchantAllocation === 0 && isMerchantDue)) return REFUSED

  const merchant = { address: terms.merchant, allocation: merchantAllocation }
  return { ok: true, split: splitOf([merchant, ...others], distributionIncentive) }
}

/**
 * Answers what distributing `amount` pays on chain when everybody can be paid: the same floors as
 * contracts/src/PaymentSplit.sol, the remainder to the first recipient.
 *
 * @returns the keeper's incentive, and one payout for each recipient, in their order; together exactly `amount`
 */
export function distribute(input: { amount: AtomicUnits; split: Split }): {
  readonly incentive: AtomicUnits
  readonly payouts: readonly AtomicUnits[]
} {
  const { amount, split } = input
  const incentive = atomic(millionths(amount, split.distributionIncentive))
  const pot = amount - incentive
  const others = split.allocations.slice(1).map((allocation) => atomic(millionths(pot, allocation)))
  const first = atomic(others.reduce((rest, payout) => rest - payout, pot))
  return { incentive, payouts: [first, ...others] }
}

const REFUSED = { ok: false, code: 'split_recipients_exceed_available_percent' } as const

const TOTAL = BigInt(TOTAL_ALLOCATION)

function incentiveOf(terms: AllocationTerms): number {
  const { feePercent, distributorFeePercent } = terms
  const exact = distributorFeePercent < feePercent ? distributorFeePercent : feePercent
  const incentive = Number(divFloor(exact * TOTAL, HUNDRED_PERCENT))
  invariant(
    incentive <= MAX_DISTRIBUTION_INCENTIVE,
    `an incentive of ${incentive} millionths is above the contract's maximum ${MAX_DISTRIBUTION_INCENTIVE}`,
  )
  return incentive
}

function allocateRecipients(terms: AllocationTerms, incentive: number): Share[] {
  const merchantNet = HUNDRED_PERCENT - terms.feePercent
  return terms.splitRecipients.map(({ address, percent }) => {
    const grossShare = { numerator: percent * merchantNet, denominator: HUNDRED_PERCENT * HUNDRED_PERCENT }
    return { address, allocation: Math.max(1, allocationOf(grossShare, incentive)) }
  })
}

function allocateTreasury(terms: AllocationTerms, incentive: number): Share {
  const grossShare = {
    numerator: terms.feePercent * TOTAL - BigInt(incentive) * HUNDRED_PERCENT,
    denominator: HUNDRED_PERCENT * TOTAL,
  }
  return { address: terms.treasury, allocation: allocationOf(grossShare, incentive) }
}

/** Turns a share of the gross amount into millionths of what is left after the incentive, rounded down. */
function allocationOf(grossShare: { numerator: bigint; denominator: bigint }, incentive: number): number {
  const left = TOTAL - BigInt(incentive)
  return Number(divFloor(grossShare.numerator * TOTAL * TOTAL, grossShare.denominator * left))
}

function splitOf(shares: readonly Share[], distributionIncentive: number): Split {
  const paid = shares.filter(({ allocation }) => allocation > 0)
  return {
    recipients: paid.map(({ address }) => address),
    allocations: paid.map(({ allocation }) => allocation),
    totalAllocation: TOTAL_ALLOCATION,
    distributionIncentive,
  }
}

function millionths(amount: bigint, allocation: number): bigint {
  return divFloor(amount * BigInt(allocation), TOTAL)
}
