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

/** Configured limits of a relayer. */
export type RelayerTerms = {
  /** Confirmation depth at which a transaction is resolved (decisions 2.6). */
  readonly confirmations: number
  /** A transaction waits for cheaper gas while gas costs more than the maximum. */
  readonly gasBounds: GasBounds
  /**
   * Bound on the cost of posting a call to the parent chain: while posting costs more, no call is signed, because no
   * transaction field limits that cost.
   */
  readonly dataFee: DataFeeTerms
  /** Maximum unmined transactions. Nodes keep only a few per account, and each waits for its predecessors. */
  readonly maxUnmined: number
  /** Interval between broadcasts of the same bytes. */
  readonly rebroadcastSeconds: number
  /** Delay after which an unmined transaction that is next in line is replaced by one with higher fees. */
  readonly replaceAfterSeconds: number
  /**
   * Delay after which a transaction that is next in line and rejected by every node is replaced by an empty transfer.
   */
  readonly emptyAfterSeconds: number
}

/** Dependencies of a relayer. */
export type RelayerDeps = {
  readonly sql: Sql
  readonly nodes: ChainNodes
  readonly account: LocalAccount
  /** Duty of the key, which limits the calls that the key may sign. */
  readonly duty: KeyPurpose
  readonly terms: RelayerTerms
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'countTransaction' | 'setUnmined'>
}

/** Dependencies with the account's key in our tables. */
export type RelayerContext = RelayerDeps & { readonly key: RelayerKey }

/** Chain data needed to sign a transaction. */
export type RelayerQuote = {
  readonly fees: GasQuote
  /** Cost of posting the call to the parent chain. */
  readonly dataFee: DataFeeQuote
  /** Number of mined transactions of the account. */
  readonly chainNonce: number
}

/** A call for the relayer to make. */
export type RelayerCall = {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
  /** `null` if the call serves no payout. */
  readonly payoutId: number | null
  /** Set if the call releases a held share. */
  readonly heldShareId?: number | null
  /** Time after which the call must not be mined. An empty transfer then takes its nonce. */
  readonly validUntil?: Date | null
  /** Whether the call is an empty transfer that takes the nonce of a transaction. */
  readonly isCancellation?: boolean
}
