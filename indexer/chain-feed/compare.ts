/** Where a row stands; what may change in a reorganization without the row becoming another one. */
export type Position = { readonly blockHash: string; readonly logIndex: number }

/** What our ledger has of a row; enough to compare. */
export type LedgerRow = Position & {
  readonly id: number
  readonly blockNumber: number
  readonly presence: 'present' | 'missing' | 'denied'
  readonly ponderSchema: string | null
}

/**
 * Compares what Ponder shows with what our ledger says, by identity.
 *
 * `changed`: rows the ledger does not have as present at that very place, shown by this schema; not those that a quorum
 * denies there, which the feed of a lying node shows for ever. `missing`: present
 * rows that a schema has shown and this one does not. It covers what the one before it covered, so a reorganization in
 * the moment of the switch is seen. Not judged is a row that no schema has shown, nor one above the head: after a
 * restart Ponder is ready before it has come back to where it was.
 */
export function compare<Observed extends Position, Ledger extends LedgerRow>(
  input: {
    readonly observed: readonly Observed[]
    readonly ledger: readonly Ledger[]
    readonly ponderSchema: string
    readonly headNumber: number
  },
  identityOf: (row: Observed | Ledger) => string,
): { readonly changed: readonly Observed[]; readonly missing: readonly number[] } {
  const { observed, ledger, ponderSchema, headNumber } = input
  const known = new Map(ledger.map((row) => [identityOf(row), row]))
  const shown = new Set(observed.map(identityOf))
  return {
    changed: observed.filter((row) => !isSame(row, known.get(identityOf(row)), ponderSchema)),
    missing: ledger
      .filter((row) => row.presence === 'present' && row.ponderSchema !== null)
      .filter((row) => row.blockNumber <= headNumber)
      .filter((row) => !shown.has(identityOf(row)))
      .map(({ id }) => id),
  }
}

function isSame(row: Position, known: LedgerRow | undefined, ponderSchema: string): boolean {
  if (known?.blockHash !== row.blockHash || known.logIndex !== row.logIndex) return false
  return known.presence === 'denied' || (known.presence === 'present' && known.ponderSchema === ponderSchema)
}
