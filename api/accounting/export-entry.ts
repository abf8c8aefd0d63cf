import type { Account, EntryCategory } from '../../shared/domain/accounting/entry.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { Pair } from '../../shared/domain/networks.ts'

/** One double entry of a merchant's books, as the export reads it. */
export type ExportEntry = Pair & {
  readonly entryId: string
  readonly category: EntryCategory
  /** The entry that an adjustment corrects. */
  readonly corrects: string | null
  readonly chargeId: string
  readonly externalRef: string | null
  /** The charge's status at the time of the export. */
  readonly chargeStatus: string
  /** `null` in the sandbox, like the next three. */
  readonly chainId: number | null
  readonly tokenAddress: Address | null
  readonly txHash: Hex | null
  readonly blockNumber: number | null
  /** Decimals of the amounts: the token's, or 18 if less than one unit of the token moved. */
  readonly decimals: number
  readonly legs: readonly ExportLeg[]
  readonly postedAt: Date
  readonly recordedAt: Date
}

/** One line of an entry. */
export type ExportLeg = {
  readonly account: Account
  /** In units of 10^-`decimals` of the token; a debit is positive. */
  readonly amount: bigint
  readonly party: Address | null
}

/**
 * Checks an entry before any of it is written, because no program that reads journals checks every digit: hledger
 * compares the digits that it displays, beancount tolerates half of the last digit of the coarsest amount.
 *
 * @throws {Error} unless the legs sum to zero
 */
export function requireBalancedEntry({ entryId, legs }: Pick<ExportEntry, 'entryId' | 'legs'>): void {
  const sum = legs.reduce((total, { amount }) => total + amount, 0n)
  invariant(sum === 0n, `the legs of the accounting entry ${entryId} sum to ${sum} instead of 0`)
}
