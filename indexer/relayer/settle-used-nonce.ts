import type { Agreed } from '../../shared/chain/nodes/quorum.ts'
import {
  listReplaced,
  type RelayerTransactionRow,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { getDepth } from '../../shared/domain/transfer.ts'
import type { ChainView } from './query-chain-view.ts'
import { type NonceUse, queryNonceUse } from './query-nonce-use.ts'
import { broadcastAgain } from './rebroadcast.ts'
import type { RelayerContext } from './relayer-context.ts'
import { swapCurrentTransaction, transitionTransaction } from './transition-transaction.ts'

/**
 * Updates the status of a transaction whose nonce is used. A quorum must agree on which transaction used the nonce;
 * otherwise the status is unchanged, and the same bytes are broadcast again.
 *
 * @returns whether the transaction's status changed
 */
export async function settleUsedNonce(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  { head }: ChainView,
): Promise<boolean> {
  const { txHash, nonce, chainId } = transaction
  const earlier = await listReplaced(context.sql, transaction)
  const txHashes = [txHash, ...earlier.map((replaced) => replaced.txHash)]
  const verdict = await queryNonceUse(context, { nonce, txHashes, head })
  if (verdict.outcome === 'agreed' && verdict.agreed.value.type !== 'unknown')
    return settleAgreed(context, transaction, { use: verdict.agreed, earlier, head })
  const isOffered = await broadcastAgain(context, transaction)
  if (isOffered && verdict.outcome === 'disagreed') {
    const { reports } = verdict
    context.log.error({
      msg: 'Nodes disagree about a transaction',
      tx_hash: txHash,
      chain_id: chainId,
      reports,
    })
  }
  return false
}

type Settling = {
  readonly use: Agreed<NonceUse>
  readonly earlier: readonly RelayerTransactionRow[]
  readonly head: number
}

async function settleAgreed(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  { use: { value: use }, earlier, head }: Settling,
): Promise<boolean> {
  const { txHash, nonce, chainId } = transaction
  if (use.type !== 'ours') {
    context.log.error({
      msg: 'Nonce was used by an unknown transaction',
      tx_hash: txHash,
      chain_id: chainId,
      nonce,
    })
    return transitionTransaction(context, transaction, { to: 'replaced', blockNumber: null })
  }
  const { blockNumber } = use
  const version = earlier.find((replaced) => replaced.txHash === use.txHash)
  if (version !== undefined)
    return swapCurrentTransaction(context, transaction, { earlier: version, blockNumber })
  const isDeep = getDepth({ head, block: blockNumber }) >= context.terms.confirmations
  if (!isDeep && transaction.blockNumber === blockNumber) return false
  const outcome = use.isSuccess && !transaction.isCancellation ? 'final' : 'reverted'
  return transitionTransaction(context, transaction, { to: isDeep ? outcome : 'mined', blockNumber })
}
