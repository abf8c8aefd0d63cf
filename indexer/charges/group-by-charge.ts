import { groupBy } from '../../shared/domain/group-by.ts'

/** Groups rows by their charge, in their order. */
export function groupByCharge<Row extends { readonly chargeId: string }>(rows: readonly Row[]) {
  return groupBy(rows, ({ chargeId }) => chargeId)
}
