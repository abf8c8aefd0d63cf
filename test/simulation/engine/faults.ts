/** Probability of each fault at every point where it can happen. */
export type FaultRates = {
  /** A database connection is lost, before or after a statement. */
  readonly lost: number
  /** A response arrives one to eight seconds late. */
  readonly late: number
  /** The process dies, before or after its request is executed. */
  readonly crash: number
  /** A request does not reach its node or endpoint. */
  readonly unreachable: number
}

export const NO_FAULTS: FaultRates = { lost: 0, late: 0, crash: 0, unreachable: 0 }
