/**
 * How soon a request is needed, the most urgent first: what sees, moves and pays out money; what confirms it; backfill,
 * comparison and health.
 */
export const PRIORITIES = ['payment', 'confirmation', 'background'] as const
export type Priority = (typeof PRIORITIES)[number]

/** A request that waits for its turn. */
export type RequestNeed = {
  readonly priority: Priority
  /** Time after which the request is refused. */
  readonly maxWaitMs: number
}

/** A node's demand to send fewer requests. */
export type Throttle = {
  /** The pause that the node asks for; `null` if it names none. */
  readonly retryAfterMs: number | null
}

/** Ends a request that was sent: with the node's demand to send fewer, or `null`. */
export type EndRequest = (throttle: Throttle | null) => void

/** Decides when requests may be sent to one node. Every request to the node passes it. */
export type NodePacer = {
  /**
   * Waits until the request may be sent. The caller must end it.
   *
   * @throws {NodeBudgetError} if the request cannot be sent in its time
   */
  readonly acquire: (need: RequestNeed) => Promise<EndRequest>
  /** Returns the time until another request could be sent, in milliseconds. */
  readonly getDelayMs: () => number | Promise<number>
}

/** The pacer of a node, and the priority of its user. */
export type Pacing = { readonly pacer: NodePacer; readonly priority: Priority }

/** Finds the pacer of a node by its configured URL. */
export type PacerOf = (url: string) => NodePacer

/** Sends every request at once, for clients outside of the service's processes. */
const NO_PACER: NodePacer = { acquire: async () => () => undefined, getDelayMs: () => 0 }

/** Pacing of a client that has no budget. */
export const UNPACED: Pacing = { pacer: NO_PACER, priority: 'payment' }
