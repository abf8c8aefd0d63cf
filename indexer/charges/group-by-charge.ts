import { groupBy } from '../../shared/domain/group-by.ts'

/** Groups rows by charge. Charges are in the order of their first rows, and the rows of a charge keep their order. */
export function groupByCharge<Row extends { readonly chargeId: string }>(rows: readonly Row[]) {
  return groupBy(rows, ({ chargeId }) => chargeId)
}
