import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import { findRemaining } from '../charges/find-remaining.ts'

/**
 * The subject of a payer's page. Only `pay` requests money.
 *
 * - `pay`: the amount, or its remaining part, can be sent.
 * - `seen`: a transfer was seen and has not reached confirmation depth.
 * - `deciding`: the deadline has passed, or the full amount arrived but might be late; the chain has not decided yet.
 * - `unavailable`: a payment sent now might not be noticed in time.
 */
export type Screen = 'pay' | 'seen' | 'deciding' | 'unavailable' | 'paid' | 'underpaid' | 'expired'

/**
 * Chooses the screen of a payer's page.
 *
 * While a transfer might be on its way, the page must not request money: it is unknown whether a transfer that was only
 * seen pays the full amount. The page must not show `expired` before the charge expires: chain time decides (decisions
 * 3.4), and a payer who sent in time must not send again.
 *
 * @param now.isAwaited - whether a transfer was seen that is not credited yet
 */
export function chooseScreen(
  { charge, paymentUnavailable }: Pick<CurrentCharge, 'charge' | 'paymentUnavailable'>,
  { now, isAwaited }: { readonly now: Date; readonly isAwaited: boolean },
): Screen {
  switch (charge.status) {
    case 'confirmed':
      return 'paid'
    case 'underpaid':
    case 'expired':
      return charge.status
    case 'pending':
    case 'partially_paid':
      if (paymentUnavailable) return 'unavailable'
      if (isAwaited) return 'seen'
      return charge.expiresAt <= now || findRemaining(charge) === null ? 'deciding' : 'pay'
  }
}
