import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import { findAmountAsked } from '../../shared/domain/amount-due.ts'
import { type AttoDollars, microToAtto } from '../../shared/domain/money.ts'
import type { Screen } from './page-data.ts'
import { isShownAmount, isSubjectAmount } from './shown-amount.ts'

/** The facts that determine the screen, all read at the same time. */
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
 * `expired` before the charge has expired by chain time (decisions 3.4), because a payer who sent in time must not send
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

/** Includes late amounts. */
function getTotal({ charge, seenAtto }: ScreenFacts): bigint {
  return (charge.receivedAtto ?? 0n) + seenAtto
}

function getTarget({ charge }: ScreenFacts): AttoDollars {
  return microToAtto(charge.amountMicro)
}
