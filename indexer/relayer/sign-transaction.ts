import { keccak256 } from 'viem'
import type { Db } from '../../shared/db/connect.ts'
import {
  countUnmined,
  insertRelayerTransaction,
  lockRelayer,
  type RelayerTransactionRow,
  reserveNonce,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { GasFees } from './gas-fees.ts'
import type { RelayerCall, RelayerContext, RelayerQuote } from './relayer-context.ts'
import { requireSignable } from './require-signable.ts'

/**
 * Reserves the next nonce and stores the signed bytes. Returns `null` if too many transactions are unmined.
 * The account is of `RELAYER_PRIVATE_KEY` (`indexer/payouts/evm-chain-payer.ts`). `tron/sign-tron-transaction.ts` signs
 * on TRON.
 *
 * Runs in the caller's database transaction, and holds the relayer's lock until that transaction ends. After a
 * rollback, the nonce is free again.
 */
export async function signTransaction(
  context: RelayerContext,
  db: Db,
  { quote, ...call }: RelayerCall & { readonly quote: RelayerQuote },
): Promise<RelayerTransactionRow | null> {
  const { key, terms, metrics } = context
  const nonce = await lockRelayer(db, { ...key, chainNonce: quote.chainNonce })
  if ((await countUnmined(db, key)) >= terms.maxUnmined) return null

  const transaction = await storeSigned(context, db, { call, nonce, fees: quote.fees })
  await reserveNonce(db, { ...key, nonce })
  metrics.countTransaction('signed')
  return transaction
}

type Signing = {
  readonly call: RelayerCall
  readonly nonce: number
  readonly fees: GasFees
  /** Time since which nodes have rejected the call. A replacement with higher fees keeps this time. */
  readonly rejectedSince?: Date | null
}

/**
 * Signs a call at a nonce and stores it. The caller must hold the relayer's lock.
 *
 * @throws {SigningRefusedError} if the signing policy does not allow the call
 */
export async function storeSigned(
  context: RelayerContext,
  db: Db,
  { call, nonce, fees, rejectedSince = null }: Signing,
): Promise<RelayerTransactionRow> {
  const { account, key, clock } = context
  const { to, data, gas, payoutId, heldShareId = null, validUntil = null, isCancellation = false } = call
  const { maxFeePerGas, maxPriorityFeePerGas } = fees
  const terms = {
    ...({ type: 'eip1559', chainId: key.chainId, nonce, to, data, gas, value: 0n } as const),
    ...{ maxFeePerGas, maxPriorityFeePerGas },
  }
  await requireSignable(context, db, terms)
  const rawTransaction = await account.signTransaction(terms)
  return insertRelayerTransaction(db, {
    ...key,
    nonce,
    payoutId,
    heldShareId,
    validUntil,
    isCancellation,
    rejectedSince,
    rawTransaction,
    txHash: keccak256(rawTransaction),
    maxFeePerGasWei: fees.maxFeePerGas,
    createdAt: clock(),
  })
}
