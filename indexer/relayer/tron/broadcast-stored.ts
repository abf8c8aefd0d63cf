import { BaseError } from 'viem'
import { queryNodes } from '../../../shared/chain/nodes/query-nodes.ts'
import { broadcastTron, type TronBroadcastResult } from '../../../shared/chain/tron/broadcast-tron.ts'
import type { TronNode } from '../../../shared/chain/tron/tron-node.ts'
import type { ExpiringTransactionRow } from '../../../shared/db/relayer/daemon/expiring-transactions.ts'
import { recordBroadcast } from '../../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { TronContext } from './tron-context.ts'

/**
 * Broadcasts stored bytes to every node, and records the time and whether any node accepted them.
 *
 * Every node receives the bytes, because a single node might drop them or not forward them. Responses do not determine
 * the outcome; only solidified blocks do.
 */
export async function broadcastStored(
  { sql, nodes, clock, log }: TronContext,
  { txHash, chainId, rawTransaction }: ExpiringTransactionRow,
): Promise<void> {
  const { reports } = await queryNodes(nodes, (node) => offer(node, rawTransaction))
  const offers = reports.map(({ value }) => value)
  const best = (['taken', 'known', 'refused'] as const).find((said) =>
    offers.some(({ outcome }) => outcome === said),
  )
  const fields = { tx_hash: txHash, chain_id: chainId, said: offers.map(({ code }) => code) }
  if (best === 'taken') log.info({ msg: 'Broadcast a transaction', ...fields })
  else if (best === 'known') log.info({ msg: 'A node already knew the transaction', ...fields })
  else log.warn({ msg: 'No node accepted a transaction', ...fields, outcome: best ?? 'unknown' })
  // A node that has received the bytes before may have accepted or rejected them, so `known` does not change
  // `rejectedSince`.
  const outcome = best === 'taken' || best === 'refused' ? best : 'unknown'
  await recordBroadcast(sql, { txHash, at: clock(), outcome })
}

async function offer(
  node: TronNode,
  rawTransaction: ExpiringTransactionRow['rawTransaction'],
): Promise<TronBroadcastResult> {
  try {
    return await broadcastTron(node, rawTransaction)
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return { outcome: 'unknown', code: error.shortMessage }
  }
}
