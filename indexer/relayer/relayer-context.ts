import type { LocalAccount } from 'viem'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { RelayerKey } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import type { DataFeeTerms, GasBounds } from '../../shared/domain/networks.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { KeyPurpose } from './find-signing-problem.ts'
import type { GasQuote } from './gas-fees.ts'
import type { PayoutMetrics } from './payout-metrics.ts'
import type { DataFeeQuote } from './quote-data-fee.ts'

export type RelayerTerms = {
  /** Confirmation depth at which a transaction is resolved (decisions 2.6). */
  readonly confirmations: number
  /** Bounds on the gas price. While gas costs more than the maximum, a transaction waits. */
  readonly gasBounds: GasBounds
  /**
   * Bound on the cost of posting a call to the parent chain. While posting costs more, no call is signed, because no
   * field of a transaction limits that cost.
   */
  readonly dataFee: DataFeeTerms
  /**
   * Maximum unmined transactions. Nodes keep only a few per account, and each waits for the transactions with lower
   * nonces.
   */
  readonly maxUnmined: number
  /** Interval between broadcasts of the same bytes. */
  readonly rebroadcastSeconds: number
  /** Age at which the unmined transaction with the lowest nonce is replaced by a version with higher fees. */
  readonly replaceAfterSeconds: number
  /**
   * Time for which every responding node must have rejected the unmined transaction with the lowest nonce before an
   * empty transfer may replace it.
   */
  readonly emptyAfterSeconds: number
}

export type RelayerDeps = {
  readonly sql: Sql
  readonly nodes: ChainNodes
  readonly account: LocalAccount
  /** Purpose of the key, which limits the calls that the key may sign. */
  readonly duty: KeyPurpose
  readonly terms: RelayerTerms
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'countTransaction' | 'setUnmined'>
}

/** A relayer's dependencies, and the chain and address that identify its account in our tables. */
export type RelayerContext = RelayerDeps & { readonly key: RelayerKey }

/** Chain data needed to sign a transaction. */
export type RelayerQuote = {
  readonly fees: GasQuote
  /** Cost of posting the call to the parent chain. */
  readonly dataFee: DataFeeQuote
  /** Number of mined transactions of the account. */
  readonly chainNonce: number
}

export type RelayerCall = {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
  /** The payout that the call serves; `null` if it serves none. */
  readonly payoutId: number | null
  /** The held share that the call releases, if any. */
  readonly heldShareId?: number | null
  /** Time after which the call must not be mined. An empty transfer then replaces its transaction. */
  readonly validUntil?: Date | null
  /** Whether the call is an empty transfer that replaces another transaction. */
  readonly isCancellation?: boolean
}
