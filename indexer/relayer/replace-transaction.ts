import { parseTransaction, type TransactionSerializedEIP1559 } from 'viem'
import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryValues } from '../../shared/chain/nodes/query-values.ts'
import {
  lockRelayer,
  type RelayerTransactionRow,
  transitionRelayerTransaction,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { GasBounds } from '../../shared/domain/networks.ts'
import { bumpFees, type GasFees, quoteFees } from './gas-fees.ts'
import { lowerMedian } from './lower-median.ts'
import type { RelayerCall, RelayerContext } from './relayer-context.ts'
import { SigningRefusedError } from './require-signable.ts'
import { storeSigned } from './sign-transaction.ts'

/**
 * Signs the same call at the same nonce with higher fees, and stores it in place of the stuck transaction.
 *
 * Either version might still be mined, but never both.
 *
 * @returns the replacement, or `null` if the bounds on fees leave no room, the transaction's status has changed, or the
 * signing policy no longer allows the call
 * @throws {NoQuorumError} if no node responds
 */
export function replaceTransaction(
  context: RelayerContext,
  stuck: RelayerTransactionRow,
): Promise<RelayerTransactionRow | null> {
  return signAnew(context, { stuck, call: readSigned(stuck).call })
}

/**
 * Signs an empty transfer to our own account at the nonce of a transaction that expired or that no node will ever
 * accept, and stores it in place of that transaction. Transactions with higher nonces can then be mined.
 *
 * Either transaction might still be mined, but never both. The replacement keeps the payout or held share of the
 * original, so that no other transaction is signed for it before one of the two is at confirmation depth.
 *
 * @returns the replacement, or `null` if even doubled bounds on fees leave no room, or the transaction's status has
 * changed
 * @throws {NoQuorumError} if no node responds
 */
export async function cancelTransaction(
  context: RelayerContext,
  stuck: RelayerTransactionRow,
): Promise<RelayerTransactionRow | null> {
  const { key } = context
  const estimate = await estimateEmpty(context)
  const { payoutId, heldShareId } = stuck
  return signAnew(context, {
    stuck,
    call: {
      ...{ to: key.relayer, data: '0x', gas: (estimate * EMPTY_GAS_PERCENT) / 100n },
      ...{ payoutId, heldShareId, isCancellation: true, validUntil: null },
    },
  })
}

const EMPTY_GAS_PERCENT = 125n

/** The gas of an empty transfer exceeds 21,000 on chains where posting to L1 is paid in gas. */
async function estimateEmpty({ nodes, key: { relayer } }: RelayerContext): Promise<bigint> {
  const transfer = { account: relayer, to: relayer, value: 0n }
  const read = ({ client }: ChainNode) => client.estimateGas(transfer)
  const estimates = await queryValues(nodes, { subject: 'the gas of a transfer', read })
  const gas = lowerMedian(estimates, (estimate) => estimate)
  return gas > MIN_GAS ? gas : MIN_GAS
}

/** Gas of a transaction without data. Nodes of every chain reject a transaction with less. */
const MIN_GAS = 21_000n

async function signAnew(
  context: RelayerContext,
  { stuck, call }: { readonly stuck: RelayerTransactionRow; readonly call: RelayerCall },
): Promise<RelayerTransactionRow | null> {
  const { sql, nodes, key, terms, metrics, log } = context
  const bounds = call.isCancellation ? doubled(terms.gasBounds) : terms.gasBounds
  const fees = bumpFees(readSigned(stuck).fees, await quoteFees(nodes, bounds), bounds)
  if (fees === null) return null

  const replacement = await inTransaction(sql, async (db) => {
    await lockRelayer(db, { ...key, chainNonce: 0 })
    const { txHash, nonce } = stuck
    const isStuck = await transitionRelayerTransaction(db, {
      txHash,
      from: 'signed',
      to: 'replaced',
      blockNumber: null,
    })
    // A replacement that changes only the fees keeps the time since which nodes have rejected the call.
    const rejectedSince = call.isCancellation && !stuck.isCancellation ? null : stuck.rejectedSince
    return isStuck ? storeSigned(context, db, { call, nonce, fees, rejectedSince }) : null
  }).catch((error: unknown) => {
    if (error instanceof SigningRefusedError) return null
    throw error
  })
  if (replacement !== null) {
    metrics.countTransaction('replaced')
    metrics.countTransaction('signed')
    const { txHash, nonce, chainId, isCancellation } = replacement
    const fields = { chain_id: chainId, nonce, tx_hash: txHash, replaced: stuck.txHash }
    if (isCancellation) log.error({ msg: 'Cancelled a transaction', ...fields })
    else log.warn({ msg: 'Replaced a stuck transaction', ...fields })
  }
  return replacement
}

/**
 * Even at twice the bounds, an empty transfer costs less than any of our calls, because it takes at most a quarter of
 * the gas of the smallest call.
 */
function doubled({ maxFeePerGasWei, maxTipPerGasWei }: GasBounds): GasBounds {
  return { maxFeePerGasWei: 2n * maxFeePerGasWei, maxTipPerGasWei: 2n * maxTipPerGasWei }
}

/** Returns the signed call and its fees, decoded from the bytes, with the purpose and the expiry of the row. */
export function readSigned(signed: RelayerTransactionRow): {
  readonly call: RelayerCall
  readonly fees: GasFees
} {
  const { rawTransaction, payoutId, heldShareId, isCancellation, validUntil } = signed
  const terms = parseTransaction(rawTransaction as TransactionSerializedEIP1559)
  const { data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = terms
  const to = parseEvmAddress(terms.to ?? '')
  invariant(to !== null, 'our transaction has a recipient')
  return {
    call: { to, data, gas, payoutId, heldShareId, isCancellation, validUntil },
    fees: { maxFeePerGas, maxPriorityFeePerGas },
  }
}
