import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { EvmRelayer } from '../relayer/evm-relayer.ts'
import type { AuthorizationMetrics } from './authorization-metrics.ts'

export type AuthorizationContext = Omit<TrackingContext, 'account'> & {
  /** Sends transactions from the account that is used only to execute authorizations. */
  readonly relayer: EvmRelayer
  /**
   * Delay before the first retry of a signature that might already have been sent to a node, but for which we have not
   * signed a transaction yet. Each further retry waits longer.
   */
  readonly retrySeconds: number
  /**
   * Time without a new head after which the network is stale. We then accept no signature, because our rows might lack
   * payments that the charge has received.
   */
  readonly staleAfter: StaleAfter
}

/** Dependencies for tracking accepted authorizations until they reach a final status. */
export type TrackingContext = {
  readonly sql: Sql
  /** The chain's nodes. An authorization is recorded as mined or ended only if a quorum shows this. */
  readonly chain: ChainNodes
  /** The account whose transactions our relayer tracks; `null` if payment by signature is not configured. */
  readonly account: Address | null
  readonly confirmations: number
  /**
   * Interval at which an authorization is read from the chain even if our own transaction for it has not changed,
   * because a third party might have submitted the signature.
   */
  readonly lookSeconds: number
  readonly blockTimeMs: number
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: AuthorizationMetrics
}
