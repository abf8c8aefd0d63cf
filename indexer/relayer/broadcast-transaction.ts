import { BaseError, LimitExceededRpcError, RpcRequestError, TransactionNotFoundError } from 'viem'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { queryResponsive } from '../../shared/chain/nodes/query-nodes.ts'
import {
  type BroadcastOutcome,
  type RelayerTransactionRow,
  recordBroadcast,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { RelayerContext } from './relayer-context.ts'

/**
 * Broadcasts a stored transaction to every node, and records the time and whether any node accepted it.
 *
 * Every node receives the transaction, because a single node might not forward it. Error messages do not determine the
 * outcome: "already known" and "nonce too low" can mean success, and a response might be lost. Until the chain shows
 * that the transaction was mined, the same bytes are broadcast again. If nodes have rejected the transaction for a long
 * time and none has accepted it, an empty transaction replaces it (see `cancelTransaction`).
 */
export async function broadcastTransaction(
  { sql, nodes, clock, log }: RelayerContext,
  transaction: RelayerTransactionRow,
): Promise<void> {
  const { txHash, chainId, nonce } = transaction
  const { reports } = await queryResponsive(nodes, ({ client }) => offer(client, transaction))
  const offers = reports.map(({ value }) => value)
  const outcome =
    (['taken', 'refused'] as const).find((said) => offers.some((answer) => answer.outcome === said)) ??
    'unknown'
  const fields = { tx_hash: txHash, chain_id: chainId, nonce }
  if (outcome === 'taken') log.info({ msg: 'Broadcast a transaction', ...fields })
  else {
    const reasons = offers.map(({ reason }) => reason)
    log.warn({ msg: 'No node accepted a transaction', ...fields, outcome, reasons })
  }
  await recordBroadcast(sql, { txHash, at: clock(), outcome })
}

type Offer = { readonly outcome: BroadcastOutcome; readonly reason: string | null }

async function offer(node: ChainClient, transaction: RelayerTransactionRow): Promise<Offer> {
  try {
    await node.sendRawTransaction({ serializedTransaction: transaction.rawTransaction })
    return { outcome: 'taken', reason: null }
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    const reason = error.details || error.shortMessage
    return { outcome: isOfNode(error) ? await askWhetherKnown(node, transaction) : 'unknown', reason }
  }
}

/** Returns whether the error is the node's response to the transaction. A rate limit does not count. */
function isOfNode(error: BaseError): boolean {
  return (
    error.walk((cause) => cause instanceof RpcRequestError) !== null &&
    error.walk((cause) => cause instanceof LimitExceededRpcError) === null
  )
}

/** Checks whether the node already has the transaction, because a node also rejects a transaction in its own pool. */
async function askWhetherKnown(
  node: ChainClient,
  { txHash }: RelayerTransactionRow,
): Promise<BroadcastOutcome> {
  try {
    await node.getTransaction({ hash: txHash })
    return 'taken'
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return error instanceof TransactionNotFoundError ? 'refused' : 'unknown'
  }
}
