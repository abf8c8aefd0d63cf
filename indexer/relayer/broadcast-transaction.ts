import { BaseError, LimitExceededRpcError, RpcRequestError, TransactionNotFoundError } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import { queryResponsive } from '../../shared/chain/nodes/query-nodes.ts'
import {
  type BroadcastOutcome,
  type RelayerTransactionRow,
  recordBroadcast,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { RelayerContext } from './relayer-context.ts'

/**
 * Offers a stored transaction to every node, and remembers when and whether any of them took it.
 *
 * To every one, for a node may keep it to itself; one that hangs is not waited for once a quorum has responded. What a node answers decides nothing by its words: "already known" and
 * "nonce too low" are as good as success, and an answer may be lost. Only what the chain shows counts, and the same
 * bytes are offered again; but what no node takes for long is not worth offering (see `emptyTransaction`).
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
    log.warn({ msg: 'No node took a transaction', ...fields, outcome, reasons })
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

/** Whether the node itself has answered, and about the transaction rather than about how often it is asked. */
function isOfNode(error: BaseError): boolean {
  return (
    error.walk((cause) => cause instanceof RpcRequestError) !== null &&
    error.walk((cause) => cause instanceof LimitExceededRpcError) === null
  )
}

/** A node that has it in its pool refuses to take it again. */
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
