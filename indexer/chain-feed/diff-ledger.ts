import type { ChainRow } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import type { LedgerRow } from '../../shared/db/chain-facts/daemon/inclusion.ts'
import { getRowKey } from './match-ordinals.ts'

/** The ledger rows of one table, and Ponder's current schema and head. */
type LedgerState = {
  readonly ledger: readonly LedgerRow[]
  readonly ponderSchema: string
  readonly headNumber: number
}

/**
 * Compares Ponder's rows with our ledger, by identity.
 *
 * `changed`: the observed rows, except two kinds: rows that the ledger has as included, at the same position and shown
 * by this schema; and rows that a quorum has denied at that position, because a lying node would return them forever.
 *
 * `missing`: the ids of included ledger rows that this schema or an earlier one has shown, and that this schema does
 * not show now. A new schema covers the range of the schema before it, so a reorganization during the switch is
 * detected. Excludes rows that no schema has shown, and rows above the head, because a restarted Ponder is ready before
 * it has caught up with its former head.
 */
export function diffLedger<Row extends ChainRow>(
  observed: readonly Row[],
  { ledger, ponderSchema, headNumber }: LedgerState,
): { readonly changed: readonly Row[]; readonly missing: readonly number[] } {
  const known = new Map(ledger.map((row) => [getRowKey(row), row]))
  const shown = new Set(observed.map(getRowKey))
  return {
    changed: observed.filter((row) => !isSame(row, known.get(getRowKey(row)), ponderSchema)),
    missing: ledger
      .filter((row) => row.inclusion === 'included' && row.ponderSchema !== null)
      .filter((row) => row.blockNumber <= headNumber)
      .filter((row) => !shown.has(getRowKey(row)))
      .map(({ id }) => id),
  }
}

function isSame(row: ChainRow, known: LedgerRow | undefined, ponderSchema: string): boolean {
  if (known?.blockHash !== row.blockHash || known.logIndex !== row.logIndex) return false
  return (
    known.inclusion === 'denied' || (known.inclusion === 'included' && known.ponderSchema === ponderSchema)
  )
}
