import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { EvmRelayer } from '../relayer/evm-relayer.ts'
import type { AuthorizationMetrics } from './authorization-metrics.ts'

/** Dependencies for executing authorizations on one chain. */
export type AuthorizationContext = Omit<TrackingContext, 'account'> & {
  /** Relayer of the account that is used only for authorizations. */
  readonly relayer: EvmRelayer
  /**
   * Initial delay before we retry a signature that was shown to a node, but for which we have not signed a transaction.
   * The delay grows.
   */
  readonly retrySeconds: number
  /**
   * Maximum age of a network's head at which a signature is consumed. If the head is older, payments might be missing.
   */
  readonly staleAfter: StaleAfter
}

/** Dependencies for following the consumed authorizations. */
export type TrackingContext = {
  readonly sql: Sql
  /** The chain's nodes. A single node's report never ends an authorization or counts it as mined. */
  readonly chain: ChainNodes
  /** The account whose transactions our relayer tracks; `null` if payment by signature is not configured. */
  readonly account: Address | null
  readonly confirmations: number
  /**
   * Interval at which an authorization is read even if our transaction for it has not changed, because a third party
   * may have submitted the signature.
   */
  readonly lookSeconds: number
  readonly blockTimeMs: number
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: AuthorizationMetrics
}
