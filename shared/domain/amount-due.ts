import { type ChargeStatus, isOpen } from './charge.ts'
import { type AttoDollars, atto, type MicroDollars, microToAtto } from './money.ts'

/** A charge's amount and the amounts received, at one time. */
export type ReceivedAmounts = {
  readonly amountMicro: MicroDollars
  /** Credited amount; `null` before the first credit. */
  readonly receivedAtto: AttoDollars | null
  /** Seen on an accepted pair, neither credited nor orphaned. */
  readonly seenAtto: AttoDollars
}

/**
 * Returns the amount that a payer may still be asked to sign for, never below zero. A seen transfer counts even before
 * it is confirmed.
 *
 * The remaining amount to be credited (`findRemaining`) is larger between a payment's block and its confirmation. A
 * payer who signed for that amount would pay twice.
 */
export function getAmountDue({ amountMicro, receivedAtto, seenAtto }: ReceivedAmounts): AttoDollars {
  const asked = microToAtto(amountMicro) - (receivedAtto ?? 0n) - seenAtto
  return atto(asked > 0n ? asked : 0n)
}

/**
 * Returns the amount that a payer may be asked to send at a time, above zero; `null` if they must not send: the charge
 * is closed, its deadline has passed, or the whole amount was received or seen. It is the only place for this decision.
 */
export function findAmountAsked(
  charge: ReceivedAmounts & { readonly status: ChargeStatus; readonly expiresAt: Date },
  now: Date,
): AttoDollars | null {
  const due = getAmountDue(charge)
  return isOpen(charge) && charge.expiresAt > now && due > 0n ? due : null
}
