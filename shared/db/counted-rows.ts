/** Ids of the rows that one turn counted. `transfers` can include sandbox credits. */
export type CountedRows = {
  readonly transfers: readonly number[]
  readonly splitEvents: readonly number[]
  readonly escrowTransfers: readonly number[]
}
