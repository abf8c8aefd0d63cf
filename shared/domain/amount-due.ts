import { type ChargeStatus, isOpen } from './charge.ts'
import { type AttoDollars, atto, type MicroDollars, microToAtto } from './money.ts'

/** A charge's amount and the amounts received and seen, read at one time. */
export type ReceivedAmounts = {
  readonly amountMicro: MicroDollars
  /** Credited amount; `null` before the first credit. */
  readonly receivedAtto: AttoDollars | null
  /** Sum of the transfers that the feed has shown on accepted pairs, without credited and orphaned transfers. */
  readonly seenAtto: AttoDollars
}

/**
 * Returns the amount that may still be requested from a payer, at least zero. A transfer reduces it as soon as the feed
 * shows the transfer.
 *
 * Until that transfer is confirmed, the amount that remains to be credited (`findRemaining`) is larger. A payer who
 * signed for the larger amount would pay twice.
 */
export function getAmountDue({ amountMicro, receivedAtto, seenAtto }: ReceivedAmounts): AttoDollars {
  const asked = microToAtto(amountMicro) - (receivedAtto ?? 0n) - seenAtto
  return atto(asked > 0n ? asked : 0n)
}

/** The facts that decide how much may be requested from a payer, all read at the same time. */
export type AskingFacts = Pick<ReceivedAmounts, 'seenAtto'> & {
  readonly charge: Omit<ReceivedAmounts, 'seenAtto'> & {
    readonly status: ChargeStatus
    readonly expiresAt: Date
  }
  readonly isSignatureInFlight: boolean
}

/**
 * Returns the amount that may be requested from a payer at the time `now`, always above zero. Returns `null` if the
 * payer must not send money: the charge is closed, its deadline has passed, the whole amount was received or seen, or a
 * payment by signature is in flight and might pay the amount due. No other code makes this decision.
 */
export function findAmountAsked(
  { charge, seenAtto, isSignatureInFlight }: AskingFacts,
  now: Date,
): AttoDollars | null {
  const due = getAmountDue({ ...charge, seenAtto })
  return isOpen(charge) && charge.expiresAt > now && due > 0n && !isSignatureInFlight ? due : null
}
