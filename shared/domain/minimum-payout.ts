import { type AtomicUnits, type AttoDollars, atomicToAtto } from './money.ts'

/**
 * Returns whether an owed amount is below the minimum payout, and therefore not worth the gas of a payout. The amount
 * stays in the split until further payments arrive or a keeper distributes it, which might never happen. The SQL form
 * is `isDust` of `shared/db/predicates.ts`.
 *
 * @param token.minimumAtto - the configured minimum payout on the token's network (`shared/runtime/payout-bounds.ts`)
 */
export function isDust(
  amountAtomic: AtomicUnits,
  token: { readonly decimals: number; readonly minimumAtto: AttoDollars },
): boolean {
  return atomicToAtto(amountAtomic, token.decimals) < token.minimumAtto
}
