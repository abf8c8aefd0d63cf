/** Amounts in 10^-18 of a token, by charge, pair and kind. A missing figure counts as zero. */
export type Figures = Map<string, bigint>

export type FigureOf = {
  readonly chargeId: string
  /** Token and network. */
  readonly pair: string
  /** `received`, `uncredited`, `refunded`, `left`, `sold`, or `paid` followed by an account. */
  readonly what: string
}

export function addFigure(figures: Figures, { chargeId, pair, what }: FigureOf, amountAtto: bigint): void {
  addAmount(figures, `${chargeId} ${pair} ${what}`, amountAtto)
}

export function addAmount(amounts: Map<string, bigint>, key: string, amountAtto: bigint): void {
  amounts.set(key, (amounts.get(key) ?? 0n) + amountAtto)
}

/** Lists the figures that differ between two records of the same money. */
export function listDifferences(
  found: ReadonlyMap<string, bigint>,
  expected: ReadonlyMap<string, bigint>,
): readonly string[] {
  const keys = [...new Set([...found.keys(), ...expected.keys()])].sort()
  return keys
    .filter((key) => (found.get(key) ?? 0n) !== (expected.get(key) ?? 0n))
    .map((key) => `${key}: ${found.get(key) ?? 0n} instead of ${expected.get(key) ?? 0n}`)
}
