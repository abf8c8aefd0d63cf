import {
  type RelayerTransactionRow,
  type RelayerTransactionStatus,
  transitionRelayerTransaction,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { RelayerContext } from './relayer-context.ts'

/**
 * Makes an earlier version of the transaction current again as `mined`, and marks the transaction as `replaced`,
 * because only one row per nonce may have a status other than `replaced`. Returns `false` if another process updated
 * the transaction first.
 */
export async function swapCurrentTransaction(
  { sql, metrics, log }: RelayerContext,
  transaction: RelayerTransactionRow,
  { earlier, blockNumber }: { readonly earlier: RelayerTransactionRow; readonly blockNumber: number },
): Promise<boolean> {
  const { txHash, chainId, nonce, status } = transaction
  const isSwapped = await inTransaction(sql, async (db) => {
    const isOurs = await transitionRelayerTransaction(db, {
      txHash,
      from: status,
      to: 'replaced',
      blockNumber: null,
    })
    if (!isOurs) return false
    return transitionRelayerTransaction(db, {
      txHash: earlier.txHash,
      from: 'replaced',
      to: 'mined',
      blockNumber,
    })
  })
  if (!isSwapped) return false
  metrics.countTransaction('replaced')
  metrics.countTransaction('mined')
  log.info({
    msg: 'A replaced transaction was mined',
    ...{ tx_hash: earlier.txHash, replaced: txHash, chain_id: chainId, nonce, block_number: blockNumber },
  })
  return true
}

/**
 * Changes a transaction's status to `to` if it still has the status in which it was read. Returns `false` if another
 * process updated the transaction first.
 */
export async function transitionTransaction(
  { sql, metrics, log, clock }: RelayerContext,
  { txHash, chainId, nonce, payoutId, status }: RelayerTransactionRow,
  { to, blockNumber }: { readonly to: RelayerTransactionStatus; readonly blockNumber: number | null },
): Promise<boolean> {
  const isMoved = await transitionRelayerTransaction(sql, {
    ...{ txHash, from: status, to, blockNumber },
    examinedAt: clock(),
  })
  if (!isMoved) return false
  metrics.countTransaction(to)
  log.info({
    msg: 'Transaction changed status',
    tx_hash: txHash,
    chain_id: chainId,
    nonce,
    payout_id: payoutId,
    from: status,
    to,
    block_number: blockNumber,
  })
  return true
}
