/** Position of a row. A reorganization may change it without changing the row's identity. */
export type RowPosition = { readonly blockHash: string; readonly logIndex: number }

/** The fields of a ledger row that the comparison needs. */
export type LedgerRow = RowPosition & {
  readonly id: number
  readonly blockNumber: number
  readonly inclusion: 'included' | 'missing' | 'denied'
  readonly ponderSchema: string | null
}

/**
 * Compares Ponder's rows with our ledger, by identity.
 *
 * `changed`: observed rows that the ledger does not have as present at the same position and shown by this schema. Rows
 * that a quorum denies at that position are excluded, because the feed of a lying node shows them indefinitely.
 *
 * `missing`: included rows that an earlier schema or this one has shown, and that this schema does not show. A new
 * schema covers the range of the schema before it, so a reorganization during the switch is detected. Rows that no
 * schema has shown are excluded. So are rows above the head, because after a restart Ponder is ready before it has
 * caught up with its former head.
 */
export function diffLedger<Observed extends RowPosition, Ledger extends LedgerRow>(
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
      .filter((row) => row.inclusion === 'included' && row.ponderSchema !== null)
      .filter((row) => row.blockNumber <= headNumber)
      .filter((row) => !shown.has(identityOf(row)))
      .map(({ id }) => id),
  }
}

function isSame(row: RowPosition, known: LedgerRow | undefined, ponderSchema: string): boolean {
  if (known?.blockHash !== row.blockHash || known.logIndex !== row.logIndex) return false
  return (
    known.inclusion === 'denied' || (known.inclusion === 'included' && known.ponderSchema === ponderSchema)
  )
}
