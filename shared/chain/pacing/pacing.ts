/**
 * Priorities of requests, the most urgent first: `payment` for requests that detect, move or pay out money;
 * `confirmation` for requests that confirm such movements; `background` for backfill, comparisons and health checks.
 */
export const PRIORITIES = ['payment', 'confirmation', 'background'] as const
export type Priority = (typeof PRIORITIES)[number]

/** The requirements of a request that waits for its turn. */
export type RequestNeed = {
  readonly priority: Priority
  /** Time after which the request is refused. */
  readonly maxWaitMs: number
}

/** A node's demand to send fewer requests. */
export type Throttle = {
  /** The pause that the node demands, in milliseconds; `null` if it names none. */
  readonly retryAfterMs: number | null
}

/**
 * Reports the end of a request that was sent, with the node's demand to send fewer requests, or `null` if there was
 * none.
 */
export type EndRequest = (throttle: Throttle | null) => void

/** Decides when requests may be sent to one node. Every request to the node passes through it. */
export type NodePacer = {
  /**
   * Waits until the request may be sent. The caller must report its end.
   *
   * @throws {NodeBudgetError} if the request cannot be sent before its deadline
   */
  readonly acquire: (need: RequestNeed) => Promise<EndRequest>
  /** Returns the time until another request could be sent, in milliseconds. */
  readonly getDelayMs: () => number | Promise<number>
}

/** The pacer of a node, and the priority of its user. */
export type Pacing = { readonly pacer: NodePacer; readonly priority: Priority }

/** Finds the pacer of a node by its configured URL. */
export type PacerOf = (url: string) => NodePacer

/** Sends every request immediately, for clients outside of the service's processes. */
const NO_PACER: NodePacer = { acquire: async () => () => undefined, getDelayMs: () => 0 }

/** Pacing of a client that has no budget. */
export const UNPACED: Pacing = { pacer: NO_PACER, priority: 'payment' }
