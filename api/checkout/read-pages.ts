import { isFinalCharge } from '../../shared/domain/is-final-charge.ts'
import type { PageState } from '../streams/page-feed.ts'
import { type CheckoutReading, type ReadCheckoutDeps, readCheckouts } from './read-checkout.ts'

/** Creates the function that reads the states of pages for their streams. */
export function createReadPages(deps: ReadCheckoutDeps) {
  return async (chargeIds: readonly string[]): Promise<ReadonlyMap<string, PageState>> => {
    const readings = await readCheckouts(deps, chargeIds)
    const now = new Date()
    return new Map(readings.map((one) => [one.current.charge.id, buildPageState(one, now)] as const))
  }
}

/**
 * Time after the deadline during which the page of a charge that was not paid in full still receives updates. Late
 * payments usually arrive soon, and their payers should not think that the money is lost.
 */
const LATE_MS = 24 * 3600_000

/** Returns the state that the stream of a page sends, and whether no other state can follow. */
export function buildPageState({ current: { charge }, checkout }: CheckoutReading, now: Date): PageState {
  const isUnpaid = charge.status === 'expired' || charge.status === 'underpaid'
  const canBeLate = isUnpaid && now.getTime() < charge.expiresAt.getTime() + LATE_MS
  const { revision } = checkout
  return { data: JSON.stringify(checkout), revision, isFinal: isFinalCharge(charge) && !canBeLate }
}
