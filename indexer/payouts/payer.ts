import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig, IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { PayoutMetrics } from '../relayer/payout-metrics.ts'
import type { Relayer } from '../relayer/relayer.ts'

/** What paying out on one chain works with. */
export type ChainPayoutsDeps = {
  readonly sql: Sql
  readonly deployment: IndexerDeployment
  readonly relayerPrivateKey: `0x${string}`
  readonly payouts: IndexerConfig['payouts']
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: PayoutMetrics
  readonly reportPayoutFailed: (db: Db, chargeId: string) => Promise<void>
}

/** The same with the nodes of the chain. */
export type PayerDeps = ChainPayoutsDeps & { readonly nodes: ChainNodes }

/** What a family of chains pays out with: its relayer, and what has to be done beside it. */
export type Payer = { readonly relayer: Relayer; readonly duties: readonly Duty[] }

/** What is done again and again. */
export type Duty = {
  /** For the log. */
  readonly name: string
  readonly turn: () => Promise<'more' | 'idle'>
  readonly intervalMs: number
}
