import type { LocalAccount } from 'viem'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { RelayerKey } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import type { DataFeeTerms, GasBounds } from '../../shared/domain/networks.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Duty } from './find-signing-problem.ts'
import type { GasQuote } from './gas-fees.ts'
import type { PayoutMetrics } from './payout-metrics.ts'
import type { DataFeeQuote } from './quote-data-fee.ts'

/** The bounds a relayer keeps to; configuration. */
export type RelayerTerms = {
  /** A transaction this deep is resolved (decisions 2.6). */
  readonly confirmations: number
  /** Above its maximum a transaction waits for cheaper gas. */
  readonly gasBounds: GasBounds
  /** Above its maximum nothing is signed: what posting costs is bounded by no transaction. */
  readonly dataFee: DataFeeTerms
  /** Transactions not yet mined at one time: nodes keep few of one account, and each waits for those before it. */
  readonly maxUnmined: number
  /** The same bytes are offered again this often. */
  readonly rebroadcastSeconds: number
  /** A transaction that is next in line and not mined after this long is replaced by one that pays more. */
  readonly replaceAfterSeconds: number
  /** One that is next in line, and refused by all nodes for so long, is replaced by an empty transfer. */
  readonly emptyAfterSeconds: number
}

/** What a relayer works with. */
export type RelayerDeps = {
  readonly sql: Sql
  /** The nodes of the chain that it serves. */
  readonly nodes: ChainNodes
  readonly account: LocalAccount
  /** What its key may sign. */
  readonly duty: Duty
  readonly terms: RelayerTerms
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'countTransaction' | 'setUnmined'>
}

/** The same with the account's key in our tables. */
export type RelayerContext = RelayerDeps & { readonly key: RelayerKey }

/** What must be read from the chain before a transaction can be signed. */
export type RelayerQuote = {
  readonly fees: GasQuote
  /** What posting it to the chain below costs. */
  readonly dataFee: DataFeeQuote
  /** How many transactions of the account are mined. */
  readonly chainNonce: number
}

/** A call for the relayer to make. */
export type RelayerCall = {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
  /** `null` if it serves no payout. */
  readonly payoutId: number | null
  /** Set if it releases a held share. */
  readonly heldShareId?: number | null
  /** Set if it must not be mined later: then an empty transfer takes its nonce. */
  readonly validUntil?: Date | null
  /** Set if it is such an empty transfer. */
  readonly isEmpty?: boolean
}
