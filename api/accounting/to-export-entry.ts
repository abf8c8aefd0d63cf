import type { ExportRow } from '../../shared/db/accounting/api/export-entries.ts'
import { type ExportEntry, requireBalancedEntry } from './export-entry.ts'

/**
 * Converts a stored entry.
 *
 * @throws {Error} if an amount is not an integer, or the legs do not sum to zero
 */
export function toExportEntry({ legs, position: _, ...row }: ExportRow): ExportEntry {
  const entry = {
    ...row,
    legs: legs.map(({ account, amount, party }) => ({ account, amount: BigInt(amount), party })),
  }
  requireBalancedEntry(entry)
  return entry
}
