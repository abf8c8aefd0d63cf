import type { ChargeTurn } from './tell-turn.ts'

/** How long after the block that decided it a charge was confirmed, by our clock. */
export type ConfirmationDelay = { readonly chainId: number; readonly seconds: number }

/**
 * Answers how long a charge that this turn confirmed has waited for it since the block of the payment that did; `null`
 * for all other turns. Measured from the block: a watcher that is blind would else look fast. Pure.
 */
export function confirmationDelayOf({
  charge,
  mail,
  decision,
}: Pick<ChargeTurn, 'mail' | 'decision' | 'charge'>): ConfirmationDelay | null {
  const { status, confirmedAt } = decision.state
  if (charge.status === 'confirmed' || status !== 'confirmed' || confirmedAt === null) return null
  const deciding = decision.credits.findLast(({ causedTransition }) => causedTransition)
  const credit = mail.credits.find(({ id }) => id === deciding?.id)
  if (credit === undefined) return null
  const seconds = confirmedAt.getTime() / 1000 - credit.blockTimestamp
  return { chainId: credit.chainId, seconds: Math.max(0, seconds) }
}
