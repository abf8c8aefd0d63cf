import type { TronSigner } from '../../../shared/chain/tron/send-tron.ts'
import type { TronNodes } from '../../../shared/chain/tron/tron-nodes.ts'
import type { RelayerKey } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { RelayerDeps } from '../relayer-context.ts'

export type TronTerms = {
  /**
   * Maximum cost of one transaction's energy, in sun. A transaction that fails other than by a revert burns all of it.
   */
  readonly maxFeeLimitSun: bigint
  /** Maximum energy at which one node's report that a call succeeds is enough. */
  readonly maxEnergy: bigint
  /** Maximum transactions that are in no solidified block yet. */
  readonly maxUnresolved: number
  /** Maximum time that a transaction waits for a block, by the chain's clock. */
  readonly lifeSeconds: number
  /** Interval between broadcasts of the same bytes, because nodes drop transactions from their pools. */
  readonly rebroadcastSeconds: number
}

export type TronRelayerDeps = Pick<RelayerDeps, 'sql' | 'clock' | 'log' | 'metrics'> & {
  /** The HTTP APIs of the chain's nodes. */
  readonly nodes: TronNodes
  readonly account: TronSigner
  readonly terms: TronTerms
}

/** A relayer's dependencies, and the chain and address that identify its account in our tables. */
export type TronContext = TronRelayerDeps & { readonly key: RelayerKey }
