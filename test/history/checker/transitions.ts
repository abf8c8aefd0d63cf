/** The states that may follow each state directly. */
export type Transitions = Readonly<Record<string, readonly string[]>>

/** The specification's "Charge `status`". */
export const STATUS: Transitions = {
  pending: ['partially_paid', 'confirmed', 'expired'],
  partially_paid: ['confirmed', 'underpaid'],
  confirmed: [],
  expired: [],
  underpaid: [],
}

/**
 * The specification's "Charge `settlementStatus`". A failed payout whose money is distributed later is completed: the
 * specification lets anyone distribute at any time, and `completed` states that the merchant's wallet has the funds.
 */
export const SETTLEMENT: Transitions = {
  null: ['pending'],
  pending: ['completed', 'failed'],
  failed: ['completed'],
  completed: [],
}

/** Whether a state can become another one in any number of transitions, including zero. */
export function canBecome(transitions: Transitions, [from, to]: readonly [string, string]): boolean {
  if (from === to) return from in transitions
  return (transitions[from] ?? []).some((next) => canBecome(transitions, [next, to]))
}
