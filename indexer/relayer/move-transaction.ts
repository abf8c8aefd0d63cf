import {
  moveRelayerTransaction,
  type RelayerTransactionRow,
  type RelayerTransactionStatus,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { RelayerContext } from './relayer-context.ts'

/** Restores the earlier version. Each nonce has one row that is not `replaced`. */
export async function exchange(
  { sql }: RelayerContext,
  transaction: RelayerTransactionRow,
  { earlier, blockNumber }: { readonly earlier: RelayerTransactionRow; readonly blockNumber: number },
): Promise<boolean> {
  const { txHash, status } = transaction
  return inTransaction(sql, async (db) => {
    const isOurs = await moveRelayerTransaction(db, {
      txHash,
      from: status,
      to: 'replaced',
      blockNumber: null,
    })
    if (!isOurs) return false
    return moveRelayerTransaction(db, { txHash: earlier.txHash, from: 'replaced', to: 'mined', blockNumber })
  })
}

/** Updates a transaction from the status in which it was read. Returns `false` if another process updated it first. */
export async function move(
  { sql, metrics, log, clock }: RelayerContext,
  { txHash, chainId, nonce, payoutId, status }: RelayerTransactionRow,
  { to, blockNumber }: { readonly to: RelayerTransactionStatus; readonly blockNumber: number | null },
): Promise<boolean> {
  const isMoved = await moveRelayerTransaction(sql, {
    ...{ txHash, from: status, to, blockNumber },
    examinedAt: clock(),
  })
  if (!isMoved) return false
  metrics.countTransaction(to)
  log.info({
    msg: 'Moved a transaction',
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
