import { BaseError } from 'viem'
import { type RelayerTransactionRow, recordBroadcast } from '../../shared/db/relayer-transactions.ts'
import type { RelayerContext } from './relayer-context.ts'

/**
 * Offers a stored transaction to the network, and remembers when.
 *
 * What the node answers decides nothing: "already known" and "nonce too low" are as good as success, a refusal may be
 * one node's, and an answer may be lost. Only what the chain shows counts, and the same bytes are offered again.
 */
export async function broadcastTransaction(
  { sql, client, clock, log }: RelayerContext,
  transaction: RelayerTransactionRow,
): Promise<void> {
  const { txHash, chainId, nonce, rawTransaction } = transaction
  try {
    await client.sendRawTransaction({ serializedTransaction: rawTransaction })
    log.info({ msg: 'Broadcast a transaction', tx_hash: txHash, chain_id: chainId, nonce })
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    const reason = error.details || error.shortMessage
    log.warn({ msg: 'Node did not take a transaction', tx_hash: txHash, chain_id: chainId, nonce, reason })
  }
  await recordBroadcast(sql, { txHash, at: clock() })
}
