/**
 * Priorities of requests, the most urgent first. `payment` requests detect, move or pay out money; `confirmation`
 * requests confirm such movements; `background` is for backfill, comparisons and health checks.
 */
export const PRIORITIES = ['payment', 'confirmation', 'background'] as const
export type Priority = (typeof PRIORITIES)[number]

export type RequestNeed = {
  readonly priority: Priority
  /** Time after which the request is refused. */
  readonly maxWaitMs: number
}

/** A node's demand to send fewer requests. */
export type Throttle = {
  /** The demanded pause in milliseconds; `null` if the node names no duration. */
  readonly retryAfterMs: number | null
}

/** Reports the end of a sent request. `throttle` is the node's demand to send fewer requests, or `null`. */
export type EndRequest = (throttle: Throttle | null) => void

/** Decides when requests may be sent to one node. Every request to the node must call `acquire` first. */
export type NodePacer = {
  /**
   * Waits until the request may be sent. The caller must call the returned function when the request ends.
   *
   * @throws {NodeBudgetError} if the request cannot be sent before its deadline
   */
  readonly acquire: (need: RequestNeed) => Promise<EndRequest>
  /** Returns the time until another request could be sent, in milliseconds. */
  readonly getDelayMs: () => number | Promise<number>
}

/** A node's pacer, and the priority of a client's requests. */
export type Pacing = { readonly pacer: NodePacer; readonly priority: Priority }

/** Finds the pacer of a node by its configured URL. */
export type PacerOf = (url: string) => NodePacer

/** Sends every request immediately, for clients outside of the service's processes. */
const NO_PACER: NodePacer = { acquire: async () => () => undefined, getDelayMs: () => 0 }

export const UNPACED: Pacing = { pacer: NO_PACER, priority: 'payment' }
