import { type AtomicUnits, type AttoDollars, atomic, atomicToAtto } from './money.ts'

/** The amount that reached a split on one pair, and the amount of its confirmed distributions. */
export type OwedTerms = { readonly payableAtomic: AtomicUnits; readonly distributedAtomic: AtomicUnits }

/** Returns the amount that the split still owes its recipients. The SQL form is `owedAtomic` of `shared/db/predicates.ts`. */
export function getOwed({ payableAtomic, distributedAtomic }: OwedTerms): AtomicUnits {
  return atomic(payableAtomic > distributedAtomic ? payableAtomic - distributedAtomic : 0n)
}

/**
 * Returns whether an amount is too small for a transaction of ours. It then waits for further payments, for a keeper,
 * or permanently. The SQL form is `isDust` of `shared/db/predicates.ts`.
 *
 * @param token.minimumAtto - the configured minimum for a payout on the token's network
 */
export function isDust(
  amountAtomic: AtomicUnits,
  token: { readonly decimals: number; readonly minimumAtto: AttoDollars },
): boolean {
  return atomicToAtto(amountAtomic, token.decimals) < token.minimumAtto
}
