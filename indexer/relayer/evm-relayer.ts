import type { PostedCall } from '../../shared/chain/data-fee/data-fee.ts'
import { queryHeight } from '../../shared/chain/nodes/query-height.ts'
import type { Db } from '../../shared/db/connect.ts'
import {
  countUnmined,
  type RelayerTransactionRow,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { type Address, parseEvmAddress } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { broadcastTransaction } from './broadcast-transaction.ts'
import { quoteFees } from './gas-fees.ts'
import { readMinedNonce } from './query-chain-view.ts'
import { quoteDataFee } from './quote-data-fee.ts'
import type { RelayerCall, RelayerContext, RelayerDeps, RelayerQuote } from './relayer-context.ts'
import { signTransaction } from './sign-transaction.ts'
import { trackTransactions } from './track-transactions.ts'

/** One account that pays gas on one chain of Ethereum's kind, for one nonce after another. */
export type EvmRelayer = {
  readonly address: Address
  /** Answers how many more transactions may be signed now. */
  readonly countFree: () => Promise<number>
  /** Reads what signing a call needs, outside any transaction. @throws {NoQuorumError} if too few nodes respond */
  readonly quote: (call: PostedCall) => Promise<RelayerQuote>
  /**
   * Reserves a nonce and stores the signed bytes, in the caller's transaction; `null` if too many are unmined.
   * Nothing is sent: after the commit the caller broadcasts, or the next turn does.
   */
  readonly sign: (db: Db, call: RelayerCall, quote: RelayerQuote) => Promise<RelayerTransactionRow | null>
  /** Offers stored bytes to the network; never throws because of what a node answers. */
  readonly broadcast: (transaction: RelayerTransactionRow) => Promise<void>
  /** Walks the unresolved transactions once: what is mined, deep, lost, stuck. */
  readonly turn: () => Promise<'more' | 'idle'>
}

/**
 * Makes the relayer of one chain of Ethereum's kind; whoever knows no family takes it as `asRelayer` makes it.
 *
 * Nonce and signed bytes are committed together and before the first broadcast, so whatever dies, the bytes are sent
 * again and no nonce is ever missing. Any number of daemons may run one with the same key and database.
 */
export function createEvmRelayer(deps: RelayerDeps): EvmRelayer {
  const address = parseEvmAddress(deps.account.address)
  invariant(address !== null, `${deps.account.address} is no address`)
  const context: RelayerContext = { ...deps, key: { chainId: deps.nodes.chainId, relayer: address } }
  return {
    address,
    countFree: async () => Math.max(0, deps.terms.maxUnmined - (await countUnmined(deps.sql, context.key))),
    quote: (call) => quote(context, call),
    sign: (db, call, quote) => signTransaction(context, db, { ...call, quote }),
    broadcast: (transaction) => broadcastTransaction(context, transaction),
    turn: () => trackTransactions(context),
  }
}

async function quote({ nodes, key, terms }: RelayerContext, call: PostedCall): Promise<RelayerQuote> {
  // A nonce that one node invents, or that a node of another chain has, would leave a gap that nothing closes.
  const [fees, chainNonce] = await Promise.all([
    quoteFees(nodes, terms.gasBounds),
    queryHeight(nodes, readMinedNonce(key)),
  ])
  const price = { terms: terms.dataFee, pricePerGasWei: fees.maxFeePerGas }
  return { fees, chainNonce, dataFee: await quoteDataFee(nodes, { ...price, call }) }
}
