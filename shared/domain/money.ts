import { formatDecimal, parseDecimal, truncateTo } from './decimal.ts'
import { AppError, invariant } from './errors.ts'

declare const unit: unique symbol

/** Millionths of a dollar (10^-6); the unit of a charge's amount. */
export type MicroDollars = bigint & { readonly [unit]: 'micro-dollars' }

/** 10^-18 dollars; the unit of received amounts, exact for tokens of up to 18 decimals. */
export type AttoDollars = bigint & { readonly [unit]: 'atto-dollars' }

/** A token's smallest unit; its size depends on the token's decimals. */
export type AtomicUnits = bigint & { readonly [unit]: 'atomic units' }

/** Maximum requested amount (specification, "Limits"). */
const MAX_TARGET_DOLLARS = 999_999_999_999n

const MICRO_SCALE = 6
const ATTO_SCALE = 18
const ATTO_PER_MICRO = 10n ** BigInt(ATTO_SCALE - MICRO_SCALE)

/** Brands `amount` as micro-dollars, without a check. */
export function micro(amount: bigint): MicroDollars {
  return amount as MicroDollars
}

/** Brands `amount` as 10^-18 dollars, without a check. */
export function atto(amount: bigint): AttoDollars {
  return amount as AttoDollars
}

/** Brands `amount` as a token's atomic units, without a check. */
export function atomic(amount: bigint): AtomicUnits {
  return amount as AtomicUnits
}

/** Converts micro-dollars to 10^-18 dollars, without rounding. */
export function microToAtto(amount: MicroDollars): AttoDollars {
  return atto(amount * ATTO_PER_MICRO)
}

/**
 * Converts an amount of a token with the given decimals, without rounding. One token counts as one dollar.
 *
 * @throws {Error} if the token has more than 18 decimals
 */
export function atomicToAtto(units: AtomicUnits, decimals: number): AttoDollars {
  return atto(units * attoPerAtomic(decimals))
}

/** Returns the largest number of atomic units that is worth at most `amount`. */
export function attoToAtomicFloor(amount: AttoDollars, decimals: number): AtomicUnits {
  return atomic(divFloor(amount, attoPerAtomic(decimals)))
}

/** Returns the smallest number of atomic units that is worth at least `amount`. */
export function attoToAtomicCeil(amount: AttoDollars, decimals: number): AtomicUnits {
  return atomic(divCeil(amount, attoPerAtomic(decimals)))
}

/**
 * Parses a requested amount in dollars from the text of its JSON number, truncated to six fractional digits.
 *
 * A double would have lost digits, for example of 99999999999.123456 (decisions 1.2).
 *
 * @throws {AppError} `validation_error`, param `amount`, unless the text is a decimal number with
 * 0 < amount ≤ 999999999999 after truncation
 */
export function parseTargetAmount(text: string): MicroDollars {
  const decimal = parseDecimal(text)
  if (decimal === null) throw createAmountError(text, 'is not a decimal number')
  const amount = truncateTo(decimal, MICRO_SCALE)
  if (amount <= 0n) throw createAmountError(text, 'is below the minimum 0.000001')
  if (amount > MAX_TARGET_DOLLARS * 1_000_000n) {
    throw createAmountError(text, `is above the maximum ${MAX_TARGET_DOLLARS}`)
  }
  return micro(amount)
}

/** Formats dollars as an exact decimal string, up to 6 fractional digits. */
export function formatMicro(amount: MicroDollars): string {
  return formatDecimal(amount, MICRO_SCALE)
}

/** Formats dollars as an exact decimal string, up to 18 fractional digits. */
export function formatAtto(amount: AttoDollars): string {
  return formatDecimal(amount, ATTO_SCALE)
}

/**
 * Divides two non-negative amounts, rounding down.
 *
 * @throws {Error} if the dividend is negative or the divisor is not positive
 */
export function divFloor(dividend: bigint, divisor: bigint): bigint {
  invariant(dividend >= 0n && divisor > 0n, `cannot divide ${dividend} by ${divisor}`)
  return dividend / divisor
}

/**
 * Divides two non-negative amounts, rounding up.
 *
 * @throws {Error} if the dividend is negative or the divisor is not positive
 */
export function divCeil(dividend: bigint, divisor: bigint): bigint {
  invariant(dividend >= 0n && divisor > 0n, `cannot divide ${dividend} by ${divisor}`)
  return (dividend + divisor - 1n) / divisor
}

function attoPerAtomic(decimals: number): bigint {
  invariant(
    decimals <= ATTO_SCALE,
    `a token with ${decimals} decimals has units below 10^-${ATTO_SCALE} dollars`,
  )
  return 10n ** BigInt(ATTO_SCALE - decimals)
}

function createAmountError(text: string, reason: string): AppError {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
  return new AppError('validation_error', `amount ${shown} ${reason}`, { param: 'amount' })
}
