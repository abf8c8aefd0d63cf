/** By state, the states that may follow directly. */
export type Transitions = Readonly<Record<string, readonly string[]>>

/** Transitions of the specification's section "Charge `status`". */
export const STATUS: Transitions = {
  pending: ['partially_paid', 'confirmed', 'expired'],
  partially_paid: ['confirmed', 'underpaid'],
  confirmed: [],
  expired: [],
  underpaid: [],
}

/**
 * Transitions of the section "Charge `settlementStatus`". A failed payout becomes completed if its money is distributed
 * later, because anyone may distribute at any time and `completed` states that the merchant's wallet has the funds.
 */
export const SETTLEMENT: Transitions = {
  null: ['pending'],
  pending: ['completed', 'failed'],
  failed: ['completed'],
  completed: [],
}

/** Whether a known state can become another state in any number of transitions, including zero. */
export function canBecome(transitions: Transitions, [from, to]: readonly [string, string]): boolean {
  if (from === to) return from in transitions
  return (transitions[from] ?? []).some((next) => canBecome(transitions, [next, to]))
}
