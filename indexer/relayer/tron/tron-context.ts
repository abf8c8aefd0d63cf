import type { TronSigner } from '../../../shared/chain/tron/send-tron.ts'
import type { TronNodes } from '../../../shared/chain/tron/tron-nodes.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { RelayerKey } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { Clock } from '../../../shared/runtime/clock.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import type { PayoutMetrics } from '../payout-metrics.ts'

/** The bounds a relayer on TRON keeps to. */
export type TronTerms = {
  /** The most that the energy of one transaction may cost: what ends otherwise than by a revert burns all of it. */
  readonly maxFeeLimitSun: bigint
  /** More energy than this for one transaction is not taken from one node alone. */
  readonly maxEnergy: bigint
  /** Transactions in no solid block yet at one time. */
  readonly maxUnresolved: number
  /** How long a transaction may wait for a block, by the chain's clock. */
  readonly lifeSeconds: number
  /** The same bytes are offered again this often: a node forgets what it had in its pool. */
  readonly rebroadcastSeconds: number
}

/** What a relayer on TRON works with. */
export type TronRelayerDeps = {
  readonly sql: Sql
  /** The HTTP APIs of the chain's nodes. */
  readonly nodes: TronNodes
  readonly account: TronSigner
  readonly terms: TronTerms
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'countTransaction' | 'setUnmined'>
}

/** The same with the account's key in our tables. */
export type TronContext = TronRelayerDeps & { readonly key: RelayerKey }
