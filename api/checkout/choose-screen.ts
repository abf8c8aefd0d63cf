import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import { findAmountAsked } from '../../shared/domain/amount-due.ts'
import { type AttoDollars, microToAtto } from '../../shared/domain/money.ts'
import { isShownAmount, isSubjectAmount } from './shown-amount.ts'

/**
 * The subject of a payer's page. Only `pay` requests money.
 *
 * - `pay`: the amount, or the part of it that was neither received nor seen, can be sent.
 * - `signed`: a payment by signature might still pay the amount due.
 * - `seen`: the whole amount was seen in time, and a part of it has not reached confirmation depth.
 * - `deciding`: the deadline has passed, or the full amount arrived but might be late; the chain does not show yet
 *   whether it is.
 * - `unavailable`: a payment sent now might not be noticed in time, on any pair.
 * - `late`: the charge was closed, and money that would have paid it arrived late; if none had arrived in time, half of
 *   the amount is enough.
 */
export type Screen =
  | 'pay'
  | 'signed'
  | 'seen'
  | 'deciding'
  | 'unavailable'
  | 'paid'
  | 'underpaid'
  | 'expired'
  | 'late'

/** The facts that determine the screen, at one time. */
export type ScreenFacts = Pick<
  CurrentCharge,
  'charge' | 'paymentUnavailable' | 'seenAtto' | 'isSignatureInFlight'
> & {
  /** Amount received or seen in blocks at or after the deadline. */
  readonly lateAtto: AttoDollars
}

/**
 * Chooses the screen of a payer's page.
 *
 * A seen transfer counts like a received one, so the page never requests the same money twice. The page must not show
 * `expired` before the charge expires: chain time decides (decisions 3.4), and a payer who sent in time must not send
 * again.
 */
export function chooseScreen(facts: ScreenFacts, now: Date): Screen {
  const { charge, paymentUnavailable, seenAtto, isSignatureInFlight } = facts
  switch (charge.status) {
    case 'confirmed':
      return 'paid'
    case 'underpaid':
      return isShownAmount(facts.lateAtto) && getTotal(facts) >= getTarget(facts) ? 'late' : 'underpaid'
    case 'expired':
      return isSubjectAmount(facts.lateAtto, getTarget(facts)) ? 'late' : 'expired'
    case 'pending':
    case 'partially_paid':
      if (paymentUnavailable) return 'unavailable'
      if (findAmountAsked(facts, now) !== null) return 'pay'
      if (isSignatureInFlight && charge.expiresAt > now && getTotal(facts) < getTarget(facts)) return 'signed'
      return seenAtto > 0n && getTotal(facts) - facts.lateAtto >= getTarget(facts) ? 'seen' : 'deciding'
  }
}

/** Returns the amount that has arrived so far, in time or not. */
function getTotal({ charge, seenAtto }: ScreenFacts): bigint {
  return (charge.receivedAtto ?? 0n) + seenAtto
}

function getTarget({ charge }: ScreenFacts): AttoDollars {
  return microToAtto(charge.amountMicro)
}
