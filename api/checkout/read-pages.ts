import { isFinalCharge } from '../../shared/domain/is-final-charge.ts'
import type { PageState } from '../streams/page-feed.ts'
import { type CheckoutReading, type ReadCheckoutDeps, readCheckouts } from './read-checkout.ts'

/** Makes the read of what payers' pages show, for the streams of those pages. */
export function createReadPages(deps: ReadCheckoutDeps) {
  return async (chargeIds: readonly string[]): Promise<ReadonlyMap<string, PageState>> => {
    const readings = await readCheckouts(deps, chargeIds)
    return new Map(readings.map((one) => [one.current.charge.id, pageStateOf(one)] as const))
  }
}

/** Answers what the stream of a page tells. */
export function pageStateOf({ current, checkout }: CheckoutReading): PageState {
  return { data: JSON.stringify(checkout), isFinal: isFinalCharge(current.charge) }
}
