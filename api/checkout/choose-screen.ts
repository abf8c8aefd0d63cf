import type { PageCharge } from '../../shared/db/charges/api/charges-read.ts'
import { getAmountDue } from '../../shared/domain/amount-due.ts'

/**
 * The subject of a payer's page. Only `pay` requests money.
 *
 * - `pay`: the amount, or the part of it that was neither received nor seen, can be sent.
 * - `seen`: the whole amount was seen, and a part of it has not reached confirmation depth.
 * - `deciding`: the deadline has passed, or the full amount arrived but might be late; the chain has not decided yet.
 * - `unavailable`: a payment sent now might not be noticed in time.
 */
export type Screen = 'pay' | 'seen' | 'deciding' | 'unavailable' | 'paid' | 'underpaid' | 'expired'

/**
 * Chooses the screen of a payer's page.
 *
 * A seen transfer counts like a received one, so the page never requests the same money twice. The page must not show
 * `expired` before the charge expires: chain time decides (decisions 3.4), and a payer who sent in time must not send
 * again.
 */
export function chooseScreen(
  { charge, paymentUnavailable, seenAtto }: Pick<PageCharge, 'charge' | 'paymentUnavailable' | 'seenAtto'>,
  now: Date,
): Screen {
  switch (charge.status) {
    case 'confirmed':
      return 'paid'
    case 'underpaid':
    case 'expired':
      return charge.status
    case 'pending':
    case 'partially_paid': {
      if (paymentUnavailable) return 'unavailable'
      const due = getAmountDue({ ...charge, seenAtto })
      if (seenAtto > 0n && due === 0n) return 'seen'
      return charge.expiresAt <= now || due === 0n ? 'deciding' : 'pay'
    }
  }
}
