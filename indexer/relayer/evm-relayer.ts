import type { PostedCall } from '../../shared/chain/data-fee/data-fee.ts'
import { queryHeight } from '../../shared/chain/nodes/query-height.ts'
import type { Db } from '../../shared/db/connect.ts'
import {
  countUnmined,
  type RelayerTransactionRow,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { broadcastTransaction } from './broadcast-transaction.ts'
import { quoteFees } from './gas-fees.ts'
import { readMinedNonce } from './query-chain-view.ts'
import { quoteDataFee } from './quote-data-fee.ts'
import type { RelayerCall, RelayerContext, RelayerDeps, RelayerQuote } from './relayer-context.ts'
import { signTransaction } from './sign-transaction.ts'
import { trackTransactions } from './track-transactions.ts'

/** One account that pays gas on one EVM chain, with consecutive nonces. */
export type EvmRelayer = ReturnType<typeof createEvmRelayer>

/**
 * Creates the relayer of one EVM chain. Code that is independent of the chain family uses the relayer through
 * `toRelayer`.
 *
 * The nonce and the signed bytes are committed together, before the first broadcast. After a crash, the same bytes are
 * sent again, so no nonce stays unused. Any number of daemons may run a relayer with the same key and database.
 */
export function createEvmRelayer(deps: RelayerDeps) {
  const address = parseEvmAddress(deps.account.address)
  invariant(address !== null, `${deps.account.address} is not an address`)
  const context: RelayerContext = { ...deps, key: { chainId: deps.nodes.chainId, relayer: address } }
  return {
    address,
    /** Returns how many more transactions may be signed now. */
    countFree: async () => Math.max(0, deps.terms.maxUnmined - (await countUnmined(deps.sql, context.key))),
    /**
     * Reads the fees and nonce needed to sign a call, outside any transaction.
     *
     * @throws {NoQuorumError} if too few nodes respond
     */
    quote: (call: PostedCall) => quote(context, call),
    /**
     * Reserves a nonce and stores the signed bytes, in the caller's database transaction. Returns `null` if too many
     * transactions are unmined. The caller should broadcast the bytes after the commit; otherwise the next turn does.
     */
    sign: (db: Db, call: RelayerCall, quote: RelayerQuote) =>
      signTransaction(context, db, { ...call, quote }),
    /** Broadcasts stored bytes. Never throws because of a node's response. */
    broadcast: (transaction: RelayerTransactionRow) => broadcastTransaction(context, transaction),
    turn: () => trackTransactions(context),
  }
}

async function quote({ nodes, key, terms }: RelayerContext, call: PostedCall): Promise<RelayerQuote> {
  // The nonce needs a quorum: too high a nonce, invented by one node, would leave a gap that never closes.
  const [fees, chainNonce] = await Promise.all([
    quoteFees(nodes, terms.gasBounds),
    queryHeight(nodes, readMinedNonce(key)),
  ])
  const price = { terms: terms.dataFee, pricePerGasWei: fees.maxFeePerGas }
  return { fees, chainNonce, dataFee: await quoteDataFee(nodes, { ...price, call }) }
}
