import { type ChargeStatus, isOpen } from './charge.ts'
import { type AttoDollars, atto, type MicroDollars, microToAtto } from './money.ts'

/** A charge's amount, and the amounts received and seen, at one time. */
export type ReceivedAmounts = {
  readonly amountMicro: MicroDollars
  /** Credited amount; `null` before the first credit. */
  readonly receivedAtto: AttoDollars | null
  /** Amount that was seen on accepted pairs and is neither credited nor orphaned. */
  readonly seenAtto: AttoDollars
}

/**
 * Returns the amount that a payer may still be asked to sign for; never below zero. A seen transfer counts even before
 * it is confirmed.
 *
 * Between a payment's block and its confirmation, the amount that remains to be credited (`findRemaining`) is larger. A
 * payer who signed for that amount would pay twice.
 */
export function getAmountDue({ amountMicro, receivedAtto, seenAtto }: ReceivedAmounts): AttoDollars {
  const asked = microToAtto(amountMicro) - (receivedAtto ?? 0n) - seenAtto
  return atto(asked > 0n ? asked : 0n)
}

/** The facts that decide how much a payer may be asked to send, all read at the same time. */
export type AskingFacts = Pick<ReceivedAmounts, 'seenAtto'> & {
  readonly charge: Omit<ReceivedAmounts, 'seenAtto'> & {
    readonly status: ChargeStatus
    readonly expiresAt: Date
  }
  readonly isSignatureInFlight: boolean
}

/**
 * Returns the amount, above zero, that a payer may be asked to send at a time; `null` if they must not send: the charge
 * is closed, its deadline has passed, the whole amount was received or seen, or a payment by signature is in flight and
 * will pay the amount due. No other code makes this decision.
 */
export function findAmountAsked(
  { charge, seenAtto, isSignatureInFlight }: AskingFacts,
  now: Date,
): AttoDollars | null {
  const due = getAmountDue({ ...charge, seenAtto })
  return isOpen(charge) && charge.expiresAt > now && due > 0n && !isSignatureInFlight ? due : null
}
