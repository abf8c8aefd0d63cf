import type { ModelToken } from './calls.ts'
import type { Block, ModelChain } from './chain.ts'
import type { Lie } from './lie.ts'

/** How a node fails those who ask it. */
export type NodeMode =
  | 'well'
  /** Takes a request and says nothing. */
  | 'silent'
  | 'failing'
  /** Answers a few requests a second, and refuses the others. */
  | 'limited'
  /** Serves another chain: higher, and with nothing on it that is ours. */
  | 'foreign'
  /** Leaves out logs and receipts that it has. */
  | 'omitting'
  /** Leaves out what half of the transactions did, and shows others of the same blocks. */
  | 'partial'
  /** Leaves out some of the logs of a transaction, as its receipt does. */
  | 'gappy'
  /** Stays at the block where it is. */
  | 'stuck'
  /** Lags behind by some blocks. */
  | 'behind'

/** One node of a chain, with what it has of it. */
export type ModelNode = {
  readonly url: string
  readonly chain: ModelChain
  readonly tokens: readonly ModelToken[]
  head: Block
  mode: NodeMode
  /** What the node claims instead of what it has; `null` while it tells the truth. */
  lie: Lie | null
  /** How much it was asked in the last second in which it was. */
  answered: { readonly second: number; readonly count: number }
}
