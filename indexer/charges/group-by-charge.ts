/** Groups rows by their charge, in their order. */
export function groupByCharge<Row extends { readonly chargeId: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.chargeId)
    if (group === undefined) groups.set(row.chargeId, [row])
    else group.push(row)
  }
  return groups
}
