import { NoQuorumError } from '../../../shared/chain/nodes/errors.ts'
import type { Responses } from '../../../shared/chain/nodes/node-report.ts'
import { getQuorumRule, queryQuorum, queryResponsive } from '../../../shared/chain/nodes/query-nodes.ts'
import { readSolidifiedHead, readSolidifiedOutcome } from '../../../shared/chain/tron/read-tron.ts'
import type { TronNode } from '../../../shared/chain/tron/tron-node.ts'
import {
  type ExpiringTransactionRow,
  listUnresolved,
  resolveTransaction,
  type UnresolvedTransactionRow,
} from '../../../shared/db/relayer/daemon/expiring-transactions.ts'
import { examineUnapplied } from '../reexamine-transactions.ts'
import { broadcastStored } from './broadcast-stored.ts'
import { decideOutcome, isResolved, type Outcome, type SolidifiedView } from './decide-outcome.ts'
import type { TronContext } from './tron-context.ts'

/** Maximum transactions tracked per turn. The oldest come first. */
const MAX_TRACKED = 100

/**
 * Updates the status of every unresolved transaction from the chain. The cases, in order:
 * 1. A solidified block contains the transaction: it becomes `final` or `reverted`, as a quorum reports. For a success,
 *    one node is enough if the split's event in that transaction was applied, because applying an event takes a quorum
 *    as well.
 * 2. A quorum has a solidified block past the transaction's expiration, but none with the transaction, and no node
 *    reports a success: it becomes `expired`. No block will ever contain it, so another transaction may be signed for
 *    the same purpose.
 * 3. Otherwise, the transaction might be in a recent block, in a pool, or dropped: the same bytes are broadcast again
 *    at intervals.
 *
 * Blocks that are not solidified are ignored, because forks of two blocks occur. A successful transaction whose event
 * stays missing is examined again. Results are read from `/walletsolidity`, and each operator has one vote. Several
 * daemons may run this concurrently, because a transaction is resolved only once.
 *
 * @returns `more` if a transaction was resolved
 * @throws {NoQuorumError} if no node responds
 */
export async function trackTronTransactions(context: TronContext): Promise<'more' | 'idle'> {
  const { sql, key, nodes, metrics, clock } = context
  await reexamine(context)
  const unresolved = await listUnresolved(sql, { ...key, limit: MAX_TRACKED })
  metrics.setUnmined(unresolved.length)
  let isMoved = false
  for (const transaction of unresolved) {
    const views = await queryResponsive(nodes, (node) => viewOf(node, transaction))
    if (views.reports.length === 0) throw new NoQuorumError(`the outcome of ${transaction.txHash}`, views)
    const of = { ...transaction, nowMs: clock().getTime() }
    const end = decideOutcome(views, getQuorumRule(nodes), of)
    if (end === null) await offerAgain(context, of, views)
    else if (await resolve(context, transaction, end)) isMoved = true
  }
  return isMoved ? 'more' : 'idle'
}

/** Reads the head first, so that a transaction that is solidified between the two reads is not reported as missing. */
async function viewOf(node: TronNode, { txHash }: ExpiringTransactionRow): Promise<SolidifiedView> {
  const { timestampMs: solidMs } = await readSolidifiedHead(node)
  return { solidMs, outcome: await readSolidifiedOutcome(node, txHash) }
}

async function offerAgain(
  context: TronContext,
  transaction: UnresolvedTransactionRow & { readonly nowMs: number },
  views: Responses<SolidifiedView>,
): Promise<void> {
  const { terms, clock, log, nodes } = context
  const { lastBroadcastAt, txHash, chainId } = transaction
  const sinceMs = lastBroadcastAt === null ? Infinity : clock().getTime() - lastBroadcastAt.getTime()
  if (sinceMs < terms.rebroadcastSeconds * 1000) return
  // No other transaction is signed for the same purpose until the nodes agree or an operator removes the contradicting
  // node.
  if (isResolved(views, getQuorumRule(nodes), transaction)) {
    const { reports } = views
    log.error({ msg: 'Nodes disagree about a transaction', tx_hash: txHash, chain_id: chainId, reports })
  }
  await broadcastStored(context, transaction)
}

async function resolve(
  { sql, log, metrics, clock }: TronContext,
  { txHash, chainId, payoutId, heldShareId }: ExpiringTransactionRow,
  end: Outcome,
): Promise<boolean> {
  if (!(await resolveTransaction(sql, { txHash, ...end, examinedAt: clock() }))) return false
  metrics.countTransaction(end.to)
  const served = { payout_id: payoutId, held_share_id: heldShareId }
  const fields = { tx_hash: txHash, chain_id: chainId, ...served, block_number: end.blockNumber }
  log.info({ msg: 'Resolved a transaction', ...fields, to: end.to })
  return true
}

function reexamine({ nodes, ...context }: TronContext): Promise<void> {
  return examineUnapplied({
    ...context,
    querySuccess: (txHash) =>
      queryQuorum(nodes, {
        read: async (node) => (await readSolidifiedOutcome(node, txHash))?.isSuccess === true,
        toText: String,
      }),
  })
}
