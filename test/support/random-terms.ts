import type { Address } from '../../shared/domain/address.ts'
import type { Split } from '../../shared/domain/allocation.ts'
import { parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { parseDecimal, truncateTo } from '../../shared/domain/decimal.ts'
import { parsePercent } from '../../shared/domain/percent.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { MERCHANT, TREASURY } from './api.ts'
import type { Paid, ShownFigures } from './payment-invariants.ts'
import type { Random } from './seeded-random.ts'

/** The keeper's incentive in percent: zero, the default, and the contract's maximum. */
export const INCENTIVES = ['0', '0.1', '5'] as const
export const KEEPER = addressOf(ACCOUNTS.keeper.address)
export const RECIPIENTS = [1, 2, 3, 4].map((digit) => addressOf(`0x${String(digit).repeat(40)}`))

/** A charge as returned by the API, the requested terms, and the decimals of the token in which it is paid. */
export type Created = {
  readonly charge: ShownFigures & {
    readonly amountExact: string
    readonly feePercent: number
    readonly addressTerms: {
      readonly salt: `0x${string}`
      readonly recipients: readonly { readonly address: string; readonly allocation: number }[]
      readonly totalAllocation: number
      readonly distributionIncentive: number
      readonly splitAddress: string
    }
  }
  readonly feeText: string
  readonly incentiveText: string
  readonly splits: readonly { readonly recipient: number; readonly percentText: string }[]
  readonly decimals: 6 | 18
}

/** Combines the shares of a charge's terms with the amounts that the accounts received on the chain. */
export function computePaid(created: Created, paidTo: ReadonlyMap<Address, bigint>): Paid {
  const feePercent = percentOf(created.feeText)
  const keeperPercent = percentOf(created.incentiveText)
  return {
    amount: amountOf(created),
    feePercent,
    incentivePercent: keeperPercent < feePercent ? keeperPercent : feePercent,
    recipients: RECIPIENTS.map((recipient, index) => ({
      address: recipient,
      percents: created.splits
        .filter((split) => split.recipient === index)
        .map(({ percentText }) => percentOf(percentText)),
    })).filter(({ percents }) => percents.length > 0),
    merchant: MERCHANT,
    treasury: TREASURY,
    keeper: KEEPER,
    paidTo,
  }
}

/** Returns the split's terms from the response, with which anyone can distribute. */
export function splitOf({
  charge: { addressTerms },
}: {
  readonly charge: { readonly addressTerms: Omit<Created['charge']['addressTerms'], 'salt'> }
}): Split {
  return {
    recipients: addressTerms.recipients.map((recipient) => addressOf(recipient.address)),
    allocations: addressTerms.recipients.map(({ allocation }) => allocation),
    totalAllocation: addressTerms.totalAllocation,
    distributionIncentive: addressTerms.distributionIncentive,
  }
}

/** Returns the requested amount, in atomic units. */
export function amountOf({ charge, decimals }: Created): bigint {
  const amount = parseDecimal(charge.amountExact)
  if (amount === null) throw new Error(`${charge.amountExact} is not an amount`)
  return truncateTo(amount, decimals)
}

/** Sums payments by recipient. Zero payments get no entry, because the contract does not transfer zero amounts. */
export function sumByAddress(
  payments: readonly (readonly [Address, bigint])[],
): ReadonlyMap<Address, bigint> {
  const sums = new Map<Address, bigint>()
  for (const [to, value] of payments) if (value > 0n) sums.set(to, (sums.get(to) ?? 0n) + value)
  return sums
}

/** Draws an amount from 0.000002 to almost 10^12 dollars, the maximum. Each order of magnitude is equally likely. */
export function randomAmount(random: Random): string {
  const micros = BigInt(Math.floor(10 ** (random.fraction() * 17.999))) + 1n
  const text = String(micros).padStart(7, '0')
  return `${text.slice(0, -6)}.${text.slice(-6)}`
}

/** Draws a fee in percent: below 5 in half of the cases, below 0.01 in a quarter and below 100 in a quarter. */
export function randomFee(random: Random): string {
  const limit = random.pick([100, 50_000, 50_000, 1_000_000])
  return (random.integer(limit) / 10_000).toFixed(4)
}

/**
 * Draws up to five split recipients, possibly the same recipient twice. Each share is at most 90 % of the percentage
 * that the fee and the earlier shares leave.
 */
export function randomSplits(random: Random, feeText: string): Created['splits'] {
  const count = random.integer(6)
  let left = 100 - Number(feeText)
  return Array.from({ length: count }, () => {
    const percent = random.pick([1e-9, 1e-4, 0.3, 0.9]) * random.fraction() * left
    left -= percent
    return { recipient: random.integer(RECIPIENTS.length), percentText: percent.toFixed(12) }
  }).filter(({ percentText }) => Number(percentText) > 0)
}

/** Returns the id of the recipient at an index. */
export function recipientId(index: number): string {
  return `rc_${String(index).repeat(26)}`
}

function percentOf(text: string) {
  const percent = parsePercent(text, { maxFractionDigits: 12 })
  if (percent === null) throw new Error(`${text} is not a percentage`)
  return percent
}

/**
 * Parses an address of either chain family.
 *
 * @throws {Error} if the text is not an address
 */
export function addressOf(text: string): Address {
  const parsed = parseAddress(text)
  if (parsed === null) throw new Error(`${text} is not an address`)
  return parsed
}
