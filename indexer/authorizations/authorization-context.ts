import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { EvmRelayer } from '../relayer/evm-relayer.ts'
import type { AuthorizationMetrics } from './authorization-metrics.ts'

/** What carrying out authorizations on one chain works with. */
export type AuthorizationContext = Omit<FollowContext, 'account'> & {
  /** Of the account for authorizations alone. */
  readonly relayer: EvmRelayer
  /** After so long one that was shown to a node, and is not signed for, is tried again; and ever later. */
  readonly retrySeconds: number
}

/** What following those that were taken works with. */
export type FollowContext = {
  readonly sql: Sql
  /** The nodes of the chain; nothing ends, and nothing counts as mined, on the report of one. */
  readonly chain: ChainNodes
  /** Whose transactions somebody tracks; `null` without a key. */
  readonly account: Address | null
  readonly confirmations: number
  /** So often the chain is asked about each whose transaction stands still: somebody else may have sent it. */
  readonly lookSeconds: number
  readonly blockTimeMs: number
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: AuthorizationMetrics
}
