import type { ChargeTurn } from './turn-events.ts'

/** Time from the deciding payment's block to the charge's confirmation, by our clock. */
export type ConfirmationLag = { readonly chainId: number; readonly seconds: number }

/**
 * Returns the delay if this turn confirmed the charge because of a payment on a chain; otherwise `null`. The delay
 * starts at the block; if it started at the detection, a watcher that misses blocks would look fast. Pure.
 */
export function measureConfirmationLag({
  charge,
  mail,
  decision,
}: Pick<ChargeTurn, 'mail' | 'decision' | 'charge'>): ConfirmationLag | null {
  const { status, confirmedAt } = decision.state
  if (charge.status === 'confirmed' || status !== 'confirmed' || confirmedAt === null) return null
  const deciding = decision.credits.findLast(({ causedTransition }) => causedTransition)
  const credit = mail.credits.find(({ id }) => id === deciding?.id)
  if (credit === undefined) return null
  const seconds = confirmedAt.getTime() / 1000 - credit.blockTimestamp
  return { chainId: credit.chainId, seconds: Math.max(0, seconds) }
}
