import type { ExportRow } from '../../shared/db/accounting/api/export-entries.ts'
import type { Account } from '../../shared/domain/accounting/entry.ts'
import type { Address } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'

/** An entry of the export, with amounts as integers. */
export type ExportEntry = Omit<ExportRow, 'legs' | 'position'> & { readonly legs: readonly ExportLeg[] }

/** One line of an entry. */
export type ExportLeg = {
  readonly account: Account
  /** In units of 10^-`decimals` of the token; a debit is positive. */
  readonly amount: bigint
  readonly party: Address | null
}

/**
 * Checks that an entry balances to the last digit, because programs that read journals do not: hledger compares only
 * displayed digits, and beancount by default tolerates half of the last digit of the least precise amount.
 *
 * @throws {Error} unless the legs sum to zero
 */
export function requireBalancedEntry({ entryId, legs }: Pick<ExportEntry, 'entryId' | 'legs'>): void {
  const sum = legs.reduce((total, { amount }) => total + amount, 0n)
  invariant(sum === 0n, `the legs of the accounting entry ${entryId} sum to ${sum} instead of 0`)
}
