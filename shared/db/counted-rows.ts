/** Ids of the rows, read from chains, that one turn counted. */
export type CountedRows = {
  readonly transfers: readonly number[]
  readonly splitEvents: readonly number[]
  readonly escrowTransfers: readonly number[]
}
