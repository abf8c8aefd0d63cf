import { type AttoDollars, atto, type MicroDollars, microToAtto } from './money.ts'

/** What a charge asks for and what has come, at one moment. */
export type ReceivedSoFar = {
  readonly amountMicro: MicroDollars
  /** Credited; `null` before the first credit. */
  readonly receivedAtto: AttoDollars | null
  /** Seen on a pair that it accepts, not credited yet and not vanished. */
  readonly seenAtto: AttoDollars
}

/**
 * Answers what a payer may still be asked to sign for, never below zero: what is seen and not yet deep is not asked again.
 *
 * What remains to be credited (`findRemaining`) is more between a payment's block and its depth; who asked for that would
 * be paid twice.
 */
export function askedAmount({ amountMicro, receivedAtto, seenAtto }: ReceivedSoFar): AttoDollars {
  const asked = microToAtto(amountMicro) - (receivedAtto ?? 0n) - seenAtto
  return atto(asked > 0n ? asked : 0n)
}
