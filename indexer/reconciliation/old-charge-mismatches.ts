import type {
  BegunComparison,
  ChargeComparison,
  StoredDifference,
} from '../../shared/db/chain-facts/daemon/charge-comparisons.ts'
import { type AttoDollars, atto } from '../../shared/domain/money.ts'
import type { BalanceMismatch, ObservedBalance } from './compare-balances.ts'
import type { UnrelatedTransfer } from './unrelated-transfer.ts'

/** Converts the differences of one charge to their stored form. Pure. */
export function toStoredMismatches(differences: readonly BalanceMismatch[]): readonly StoredDifference[] {
  return differences.map(({ account, tokenAddress, expectedAtomic, foundAtomic }) => ({
    ...{ account, tokenAddress, expectedAtomic: String(expectedAtomic), foundAtomic: String(foundAtomic) },
  }))
}

/** Returns the balances that had a new difference when the comparison started. Pure. */
export function listObservedBalances(comparison: BegunComparison): readonly ObservedBalance[] {
  return (comparison.difference ?? []).map(({ account, tokenAddress, foundAtomic }) => ({
    ...{ charge: comparison, account, tokenAddress, foundAtomic: BigInt(foundAtomic) },
  }))
}

/**
 * Returns the unrelated transfers into an escrow charge's split that the search found, summed by token; empty for other
 * charges. Pure.
 */
export function listUnrelatedTransfers({
  splitAddress,
  strays,
}: BegunComparison): readonly Pick<UnrelatedTransfer, 'account' | 'tokenAddress' | 'amountAtto'>[] {
  return Object.entries(strays).map(([tokenAddress, amount]) => ({
    ...{ account: splitAddress, tokenAddress: tokenAddress as UnrelatedTransfer['tokenAddress'] },
    amountAtto: atto(BigInt(amount)) as AttoDollars,
  }))
}

/**
 * Returns a string that identifies the differences: two strings are equal if and only if the differences are. Returns
 * `null` for an empty list. Pure.
 */
export function describeMismatches(differences: readonly StoredDifference[]): string | null {
  const names = differences.map((one) =>
    [one.account, one.tokenAddress, one.expectedAtomic, one.foundAtomic].join('/'),
  )
  return names.length === 0 ? null : names.toSorted().join(' ')
}

/**
 * Returns whether an earlier comparison ended with exactly these differences, so that they need no further search. Pure.
 */
export function isKnown(
  { knownDifference }: ChargeComparison,
  differences: readonly StoredDifference[],
): boolean {
  return knownDifference !== null && knownDifference === describeMismatches(differences)
}
