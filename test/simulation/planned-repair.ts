/** What is wrong with a feed when an operator orders its repair. */
export type FeedFault =
  /** Ponder has followed a node of another chain, and is far above every block of its own chain. */
  | 'follows another chain'
  /** The same, but from the first block of the feed onwards. Its configured first block is above the chain as well. */
  | 'begins on another chain'
  /** Ponder’s latest blocks lack all real rows and contain invented rows, and Ponder considers them final. */
  | 'has wrong rows'
  /** Ponder reads no further blocks, even after a restart. */
  | 'stops'

/** The block from which an operator orders the chain to be read again; `first block` if the order names none. */
export type RepairStart = 'first block' | 'before the fault' | 'last block' | 'above the chain'

/** A repair of a feed by operators. */
export type PlannedRepair = {
  readonly chainId: number
  /** With `null`, the operators order the repair by mistake. */
  readonly fault: FeedFault | null
  /** When the fault begins. */
  readonly atMs: number
  /** The orders after the fault, earliest first. The last one is always executable. */
  readonly orders: readonly { readonly atMs: number; readonly from: RepairStart }[]
  /** When daemons are killed, each shortly after an order. */
  readonly deathsMs: readonly number[]
  /**
   * For each of the first attempts to repair the feed: the time from when the daemon has stopped Ponder until that
   * daemon is killed. Later attempts are not interrupted.
   */
  readonly killedAfterMs: readonly number[]
}

/** Charges whose turns fail, or that another build quarantines. */
export type PlannedQuarantine = {
  /** The fault lasts from `atMs` for `forMs`. After failed turns, operators then release all quarantined charges. */
  readonly atMs: number
  readonly forMs: number
  readonly kind: 'turns fail' | 'another build'
  /** Index of the charge among those that exist; `null` for all charges. */
  readonly chargeIndex: number | null
  /** Whether operators also release the charges again and again while turns still fail. */
  readonly isReleasedEarly: boolean
}

/** The part of a plan that concerns repairs of feeds and quarantined charges. */
export type RepairPlan = {
  readonly repairs: readonly PlannedRepair[]
  readonly quarantines: readonly PlannedQuarantine[]
}
