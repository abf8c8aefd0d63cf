import { type AtomicUnits, atomic } from './money.ts'

/** The amount that a split received on one pair, and the amount of its confirmed distributions. */
export type OwedTerms = { readonly payableAtomic: AtomicUnits; readonly distributedAtomic: AtomicUnits }

/** Returns the amount that the split owes. The SQL form is `owedAtomic` of `shared/db/predicates.ts`. */
export function getOwed({ payableAtomic, distributedAtomic }: OwedTerms): AtomicUnits {
  return atomic(payableAtomic > distributedAtomic ? payableAtomic - distributedAtomic : 0n)
}
