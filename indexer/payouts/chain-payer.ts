import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig, IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { PayoutMetrics } from '../relayer/payout-metrics.ts'
import type { Relayer } from '../relayer/relayer.ts'

export type ChainPayoutDeps = {
  readonly sql: Sql
  readonly deployment: IndexerDeployment
  readonly relayerPrivateKey: `0x${string}`
  readonly payouts: IndexerConfig['payouts']
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: PayoutMetrics
  /** Applies the final failure of a payout to its charge, in the given database transaction. */
  readonly reportPayoutFailed: (db: Db, chargeId: string) => Promise<void>
}

export type ChainPayerDeps = ChainPayoutDeps & { readonly nodes: ChainNodes }

export type PayoutDeps = Omit<ChainPayerDeps, 'deployment' | 'relayerPrivateKey' | 'payouts'> &
  Pick<ChainPayer, 'relayer'>

/** The relayer that sends payouts on one chain, and the other periodic jobs that the chain's family needs. */
export type ChainPayer = { readonly relayer: Relayer; readonly duties: readonly BackgroundTask[] }

export type BackgroundTask = {
  readonly name: string
  readonly turn: () => Promise<'more' | 'idle'>
  readonly intervalMs: number
  /** Interval while the network sleeps (decisions 9.10); a minute by default. */
  readonly asleepMs?: number
}
