import { type AtomicUnits, type AttoDollars, atomic, atomicToAtto } from './money.ts'

/** What reached a split on one pair, and what its distributions at depth found there. */
export type Owing = { readonly payableAtomic: AtomicUnits; readonly distributedAtomic: AtomicUnits }

/** Answers what the split still owes its recipients; in SQL `owedAtomic` of `shared/db/laws.ts`. */
export function owedOf({ payableAtomic, distributedAtomic }: Owing): AtomicUnits {
  return atomic(payableAtomic > distributedAtomic ? payableAtomic - distributedAtomic : 0n)
}

/**
 * Tells whether an amount is too little to be worth a transaction of ours, so that it waits for more, for a keeper, or
 * for ever; in SQL `isDust` of `shared/db/laws.ts`.
 *
 * @param token.minimumAtto - what is worth one on the token's network; configuration
 */
export function isDust(
  amountAtomic: AtomicUnits,
  token: { readonly decimals: number; readonly minimumAtto: AttoDollars },
): boolean {
  return atomicToAtto(amountAtomic, token.decimals) < token.minimumAtto
}
