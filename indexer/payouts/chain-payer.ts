import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig, IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { PayoutMetrics } from '../relayer/payout-metrics.ts'
import type { Relayer } from '../relayer/relayer.ts'

/** Dependencies of the payouts on one chain. */
export type ChainPayoutDeps = {
  readonly sql: Sql
  readonly deployment: IndexerDeployment
  readonly relayerPrivateKey: `0x${string}`
  readonly payouts: IndexerConfig['payouts']
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: PayoutMetrics
  /** Applies to the charge, in the given transaction, the fact that the payout of a pair has finally failed. */
  readonly reportPayoutFailed: (db: Db, chargeId: string) => Promise<void>
}

/** Dependencies of the payer of one chain family. */
export type ChainPayerDeps = ChainPayoutDeps & { readonly nodes: ChainNodes }

/** Dependencies of the workers that pay out on one chain. */
export type PayoutDeps = Omit<ChainPayerDeps, 'deployment' | 'relayerPrivateKey' | 'payouts'> &
  Pick<ChainPayer, 'relayer'>

/** The relayer that pays out on one chain, and the other periodic jobs of the chain's family. */
export type ChainPayer = { readonly relayer: Relayer; readonly duties: readonly BackgroundTask[] }

/** A periodic job. */
export type BackgroundTask = {
  /** Name of the job in the log. */
  readonly name: string
  readonly turn: () => Promise<'more' | 'idle'>
  readonly intervalMs: number
  /** Interval while the network sleeps; a minute by default. */
  readonly asleepMs?: number
}
