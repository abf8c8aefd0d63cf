/** How likely each fault is wherever it can happen. */
export type FaultRates = {
  /** A connection to the database is lost, before a statement or after it. */
  readonly lost: number
  /** An answer comes seconds later. */
  readonly late: number
  /** The process dies, before what it asked was done or after. */
  readonly crash: number
  /** A request to a node or an endpoint fails on its way. */
  readonly unreachable: number
}

export const NO_FAULTS: FaultRates = { lost: 0, late: 0, crash: 0, unreachable: 0 }
