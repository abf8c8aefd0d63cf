/** What is wrong with a feed when an operator orders its repair. */
export type FeedFault =
  /** Ponder has followed a node of another chain, and is far above every block of its own chain. */
  | 'follows another chain'
  /** The same since the first block of the feed. Its configured first block is above the chain as well. */
  | 'begins on another chain'
  /** Ponder’s latest blocks lack all real rows and contain invented rows, and Ponder considers them final. */
  | 'has wrong rows'
  /** Ponder reads no further block, also after a restart. */
  | 'stops'

/** The block from which an operator orders to read the chain; `first block` if the order names none. */
export type RepairStart = 'first block' | 'before the fault' | 'last block' | 'above the chain'

/** A repair of a feed by operators. */
export type PlannedRepair = {
  readonly chainId: number
  /** With `null`, the operators order the repair by mistake. */
  readonly fault: FeedFault | null
  /** When the fault begins. */
  readonly atMs: number
  /** The orders after the fault, by time. The last one can be carried out. */
  readonly orders: readonly { readonly atMs: number; readonly from: RepairStart }[]
  /** When daemons are killed, around the orders. */
  readonly deathsMs: readonly number[]
  /** Times from the end of Ponder until the daemon that repairs the feed is killed, for the first attempts to repair it. */
  readonly killedAfterMs: readonly number[]
}

/** Charges whose turns fail, or that another build quarantines. */
export type PlannedQuarantine = {
  /** The fault lasts from `atMs` for `forMs`. Then operators release all quarantined charges. */
  readonly atMs: number
  readonly forMs: number
  readonly kind: 'turns fail' | 'another build'
  /** Index of the charge among those that exist; `null` for all charges. */
  readonly chargeIndex: number | null
  /** Whether operators also release the charges again and again before the fault has ended. */
  readonly isReleasedEarly: boolean
}

/** The part of a plan that concerns repairs of feeds and quarantined charges. */
export type RepairPlan = {
  readonly repairs: readonly PlannedRepair[]
  readonly quarantines: readonly PlannedQuarantine[]
}
