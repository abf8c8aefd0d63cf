/** Ids of the rows that one turn counted. Transfers can include credits of the sandbox. */
export type CountedRows = {
  readonly transfers: readonly number[]
  readonly splitEvents: readonly number[]
  readonly escrowTransfers: readonly number[]
}
