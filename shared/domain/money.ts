import { formatDecimal, parseDecimal, truncateTo } from './decimal.ts'
import { AppError, invariant } from './errors.ts'

declare const unit: unique symbol

/** Millionths of a dollar (10^-6): what a charge asks for. */
export type MicroDollars = bigint & { readonly [unit]: 'micro-dollars' }

/** 10^-18 dollars: what a charge received, exact for tokens of up to 18 decimals. */
export type AttoDollars = bigint & { readonly [unit]: 'atto-dollars' }

/** A token's own smallest unit; its size depends on the token's decimals. */
export type AtomicUnits = bigint & { readonly [unit]: 'atomic units' }

/** The largest amount a request may ask for. See the specification, "Limits". */
const MAX_TARGET_DOLLARS = 999_999_999_999n

const MICRO_SCALE = 6
const ATTO_SCALE = 18
const ATTO_PER_MICRO = 10n ** BigInt(ATTO_SCALE - MICRO_SCALE)

/** Names `amount` as micro-dollars; checks nothing. */
export function micro(amount: bigint): MicroDollars {
  return amount as MicroDollars
}

/** Names `amount` as 10^-18 dollars; checks nothing. */
export function atto(amount: bigint): AttoDollars {
  return amount as AttoDollars
}

/** Names `amount` as a token's atomic units; checks nothing. */
export function atomic(amount: bigint): AtomicUnits {
  return amount as AtomicUnits
}

/** Converts exactly; nothing is rounded. */
export function microToAtto(amount: MicroDollars): AttoDollars {
  return atto(amount * ATTO_PER_MICRO)
}

/**
 * Converts what a token of `decimals` decimals paid; exact, because a stablecoin unit is counted as a dollar.
 *
 * @throws {Error} if the token has more than 18 decimals
 */
export function atomicToAtto(units: AtomicUnits, decimals: number): AttoDollars {
  return atto(units * attoPerAtomic(decimals))
}

/** Answers the most atomic units worth at most `amount`: a remainder is left out. */
export function attoToAtomicFloor(amount: AttoDollars, decimals: number): AtomicUnits {
  return atomic(divFloor(amount, attoPerAtomic(decimals)))
}

/** Answers the fewest atomic units worth at least `amount`: a remainder is rounded up to one unit more. */
export function attoToAtomicCeil(amount: AttoDollars, decimals: number): AtomicUnits {
  return atomic(divCeil(amount, attoPerAtomic(decimals)))
}

/**
 * Reads a requested amount in dollars from its JSON number text, truncated to six fractional digits.
 *
 * Read from the text because a double has already lost digits: 99999999999.123456 (decisions 1.2).
 *
 * @throws {AppError} `validation_error`, param `amount`, unless 0 < amount ≤ 999999999999 after truncation
 */
export function parseTargetAmount(text: string): MicroDollars {
  const decimal = parseDecimal(text)
  if (decimal === null) throw refuseAmount(text, 'is not a decimal number')
  const amount = truncateTo(decimal, MICRO_SCALE)
  if (amount <= 0n) throw refuseAmount(text, 'is below the minimum 0.000001')
  if (amount > MAX_TARGET_DOLLARS * 1_000_000n) {
    throw refuseAmount(text, `is above the maximum ${MAX_TARGET_DOLLARS}`)
  }
  return micro(amount)
}

/** Writes dollars as an exact decimal string, up to 6 fractional digits. */
export function formatMicro(amount: MicroDollars): string {
  return formatDecimal(amount, MICRO_SCALE)
}

/** Writes dollars as an exact decimal string, up to 18 fractional digits. */
export function formatAtto(amount: AttoDollars): string {
  return formatDecimal(amount, ATTO_SCALE)
}

/**
 * Divides two amounts that are not negative, rounding down.
 *
 * @throws {Error} on a negative dividend or a divisor that is not positive
 */
export function divFloor(dividend: bigint, divisor: bigint): bigint {
  invariant(dividend >= 0n && divisor > 0n, `cannot divide ${dividend} by ${divisor}`)
  return dividend / divisor
}

/**
 * Divides two amounts that are not negative, rounding up.
 *
 * @throws {Error} on a negative dividend or a divisor that is not positive
 */
export function divCeil(dividend: bigint, divisor: bigint): bigint {
  invariant(dividend >= 0n && divisor > 0n, `cannot divide ${dividend} by ${divisor}`)
  return (dividend + divisor - 1n) / divisor
}

function attoPerAtomic(decimals: number): bigint {
  invariant(
    decimals <= ATTO_SCALE,
    `a token of ${decimals} decimals has units below 10^-${ATTO_SCALE} dollars`,
  )
  return 10n ** BigInt(ATTO_SCALE - decimals)
}

function refuseAmount(text: string, reason: string): AppError {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
  return new AppError('validation_error', `amount ${shown} ${reason}`, { param: 'amount' })
}
