import type { ModelToken } from './calls.ts'
import type { Block, ModelChain } from './chain.ts'
import type { Lie } from './lie.ts'

/** Fault of a node; `well` for none. */
export type NodeMode =
  | 'well'
  /** Accepts requests and does not respond. */
  | 'silent'
  | 'failing'
  /** Responds to three requests per second, and rejects the others. */
  | 'limited'
  /** Serves another chain, which is higher and contains none of our transactions. */
  | 'foreign'
  /** Omits all logs and receipts. */
  | 'omitting'
  /** Omits about half of the transactions, even if it shows others of the same block. */
  | 'partial'
  /** Omits some logs of each transaction, in receipts too. */
  | 'gappy'
  /** Stays at its current block. */
  | 'stuck'
  /** Lags behind by five blocks. */
  | 'behind'

export type ModelNode = {
  readonly url: string
  readonly chain: ModelChain
  readonly tokens: readonly ModelToken[]
  head: Block
  mode: NodeMode
  /** The node's current lie; `null` while it is honest. */
  lie: Lie | null
  /** The last second in which the node received requests in mode `limited`, and the number of these requests. */
  answered: { readonly second: number; readonly count: number }
}
