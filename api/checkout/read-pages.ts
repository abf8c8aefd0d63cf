import { isFinalCharge } from '../../shared/domain/is-final-charge.ts'
import type { PageState } from '../streams/page-feed.ts'
import { type CheckoutReading, type ReadCheckoutDeps, readCheckouts } from './read-checkout.ts'

/** Makes the read of what payers' pages show, for the streams of those pages. */
export function createReadPages(deps: ReadCheckoutDeps) {
  return async (chargeIds: readonly string[]): Promise<ReadonlyMap<string, PageState>> => {
    const readings = await readCheckouts(deps, chargeIds)
    const now = new Date()
    return new Map(readings.map((one) => [one.current.charge.id, pageStateOf(one, now)] as const))
  }
}

/**
 * How long after its deadline the page of a charge that was not paid in full is told of more: what comes late mostly
 * comes soon, and its payer must not think it lost.
 */
const LATE_MS = 24 * 3600_000

/** Answers what the stream of a page tells, and whether it tells nothing after that. */
export function pageStateOf({ current: { charge }, checkout }: CheckoutReading, now: Date): PageState {
  const isUnpaid = charge.status === 'expired' || charge.status === 'underpaid'
  const canBeLate = isUnpaid && now.getTime() < charge.expiresAt.getTime() + LATE_MS
  return { data: JSON.stringify(checkout), isFinal: isFinalCharge(charge) && !canBeLate }
}
