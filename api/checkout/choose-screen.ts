import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import { findRemaining } from '../charges/find-remaining.ts'

/**
 * What a payer's page is about; only on `pay` is anybody asked for money.
 *
 * - `pay`: the amount, or what remains of it, can be sent.
 * - `seen`: a transfer was seen and is not deep enough to be credited.
 * - `deciding`: the time is up, or all has come but too late perhaps; the chain has yet to say so.
 * - `unavailable`: what is paid now might not be noticed in time.
 */
export type Screen = 'pay' | 'seen' | 'deciding' | 'unavailable' | 'paid' | 'underpaid' | 'expired'

/**
 * Chooses what a payer is shown.
 *
 * Nobody is asked for money while some of it may be on its way: of a transfer that was only seen nobody knows yet whether
 * it pays all. And nobody is told `expired` before the charge is: chain time decides (decisions 3.4), and whoever sent in
 * time must not send again.
 *
 * @param now.isAwaited - a transfer was seen that is not credited
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
