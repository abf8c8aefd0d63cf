import type { Address } from './address.ts'
import { invariant } from './errors.ts'
import { type AtomicUnits, atomic, divFloor } from './money.ts'
import { HUNDRED_PERCENT, type Percent } from './percent.ts'

/** The whole amount, in the unit of allocations and incentive: millionths. See contracts/src/Split.sol. */
export const TOTAL_ALLOCATION = 1_000_000

/** Maximum incentive that the contract accepts, in millionths: 5 %. See contracts/src/Split.sol. */
export const MAX_DISTRIBUTION_INCENTIVE = 50_000

/** The terms to which a split's address commits, with the contract's field names. */
export type Split = {
  /**
   * The merchant is the first recipient, unless their share is zero. The first recipient receives the rounding
   * remainder. An address may occur twice.
   */
  readonly recipients: readonly Address[]
  /** One allocation per recipient, in millionths of the amount after the incentive. */
  readonly allocations: readonly number[]
  /** The sum of `allocations`; always 1,000,000. */
  readonly totalAllocation: number
  /** The distributor's share, in millionths of the whole amount. */
  readonly distributionIncentive: number
}

/** The exact shares of a charge before rounding. */
export type AllocationTerms = {
  /** The service's fee, in percent of the gross amount. */
  readonly feePercent: Percent
  /** The keeper's incentive, in percent of the gross amount. It is paid out of the fee and never exceeds it. */
  readonly distributorFeePercent: Percent
  readonly merchant: Address
  readonly treasury: Address
  /** The additional recipients. Each percent is a share of the merchant's net amount. */
  readonly splitRecipients: readonly { readonly address: Address; readonly percent: Percent }[]
}

export type AllocationResult =
  | { readonly ok: true; readonly split: Split }
  | { readonly ok: false; readonly code: 'split_recipients_exceed_available_percent' }

type Share = { readonly address: Address; readonly allocation: number }

/**
 * Rounds the exact shares of a charge to the millionths that its split contract pays.
 *
 * Each recipient except the merchant gets their share of the amount after the incentive, rounded down. The merchant
 * gets the rest, so the sum is exactly 1,000,000. A split recipient whose share is rounded down to 0 gets 1, taken from
 * the merchant. Any other recipient with an allocation of 0 is omitted, because the contract rejects empty allocations.
 *
 * @returns not ok if the split recipients' percents exceed `100 - feePercent`, or if rounding would consume the
 * merchant's whole share
 * @throws {Error} if the incentive exceeds the contract's 5 %
 * @see decisions 1.7 and 1.8
 */
export function allocate(terms: AllocationTerms): AllocationResult {
  const given = terms.splitRecipients.reduce((sum, { percent }) => sum + percent, 0n)
  if (given > HUNDRED_PERCENT - terms.feePercent) return REFUSED

  const distributionIncentive = getIncentive(terms)
  const others = [
    ...allocateRecipients(terms, distributionIncentive),
    allocateTreasury(terms, distributionIncentive),
  ]
  const merchantAllocation = others.reduce((rest, { allocation }) => rest - allocation, TOTAL_ALLOCATION)

  const isMerchantDue = terms.feePercent < HUNDRED_PERCENT && given < HUNDRED_PERCENT
  if (merchantAllocation < 0 || (merchantAllocation === 0 && isMerchantDue)) return REFUSED

  const merchant = { address: terms.merchant, allocation: merchantAllocation }
  return { ok: true, split: buildSplit([merchant, ...others], distributionIncentive) }
}

/**
 * Returns the payouts of a distribution of `amount` in which every transfer succeeds. Rounds like
 * contracts/src/PaymentSplit.sol; the remainder goes to the first recipient.
 *
 * @returns the keeper's incentive and one payout per recipient, in the order of the recipients; together exactly
 * `amount`
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

function getIncentive(terms: AllocationTerms): number {
  const { feePercent, distributorFeePercent } = terms
  const exact = distributorFeePercent < feePercent ? distributorFeePercent : feePercent
  const incentive = Number(divFloor(exact * TOTAL, HUNDRED_PERCENT))
  invariant(
    incentive <= MAX_DISTRIBUTION_INCENTIVE,
    `incentive ${incentive} millionths exceeds the contract's maximum ${MAX_DISTRIBUTION_INCENTIVE}`,
  )
  return incentive
}

function allocateRecipients(terms: AllocationTerms, incentive: number): Share[] {
  const merchantNet = HUNDRED_PERCENT - terms.feePercent
  return terms.splitRecipients.map(({ address, percent }) => {
    const grossShare = { numerator: percent * merchantNet, denominator: HUNDRED_PERCENT * HUNDRED_PERCENT }
    return { address, allocation: Math.max(1, toAllocation(grossShare, incentive)) }
  })
}

function allocateTreasury(terms: AllocationTerms, incentive: number): Share {
  const grossShare = {
    numerator: terms.feePercent * TOTAL - BigInt(incentive) * HUNDRED_PERCENT,
    denominator: HUNDRED_PERCENT * TOTAL,
  }
  return { address: terms.treasury, allocation: toAllocation(grossShare, incentive) }
}

/** Converts a share of the gross amount to millionths of the amount after the incentive, rounded down. */
function toAllocation(grossShare: { numerator: bigint; denominator: bigint }, incentive: number): number {
  const left = TOTAL - BigInt(incentive)
  return Number(divFloor(grossShare.numerator * TOTAL * TOTAL, grossShare.denominator * left))
}

function buildSplit(shares: readonly Share[], distributionIncentive: number): Split {
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
