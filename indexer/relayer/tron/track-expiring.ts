import { NoQuorumError } from '../../../shared/chain/nodes/errors.ts'
import type { Responses } from '../../../shared/chain/nodes/node-report.ts'
import { queryQuorum, queryResponsive, ruleOf } from '../../../shared/chain/nodes/query-nodes.ts'
import { readSolidHead, readSolidOutcome } from '../../../shared/chain/tron/read-tron.ts'
import type { TronNode } from '../../../shared/chain/tron/tron-node.ts'
import {
  type ExpiringTransactionRow,
  listUnresolved,
  resolveTransaction,
  type UnresolvedTransactionRow,
} from '../../../shared/db/relayer/daemon/expiring-transactions.ts'
import { examineUnapplied } from '../reexamine-transactions.ts'
import { decideEnd, type End, isOver, type SolidView } from './decide-end.ts'
import { offerStored } from './offer-stored.ts'
import type { TronContext } from './tron-context.ts'

/** Looked at in one turn, the oldest first. */
const MAX_TRACKED = 100

/**
 * Brings every unresolved transaction to where the chain has it. The cases, in order:
 * 1. A solid block has it: final, or reverted, as a quorum says. Of a success one node is enough if the event that the
 *    split logged in it is applied, which takes a quorum as well.
 * 2. A quorum has a solid block of its expiration or later without it, and no node says that it succeeded: it is in none,
 *    and never will be. Then others may be signed for what it served.
 * 3. It may be in a block, in a pool, or forgotten: the same bytes are offered again, now and then.
 *
 * What is in blocks that are not solid is not looked at: forks of two blocks take it back. A success whose event is long
 * missing is examined again. Votes are by operator, at `/walletsolidity`. Several daemons may do this at
 * once: a transaction is resolved once.
 *
 * @returns `more` if something was resolved
 * @throws {NoQuorumError} if no node responds
 */
export async function trackExpiring(context: TronContext): Promise<'more' | 'idle'> {
  const { sql, key, nodes, metrics, clock } = context
  await reexamine(context)
  const unresolved = await listUnresolved(sql, { ...key, limit: MAX_TRACKED })
  metrics.setUnmined(unresolved.length)
  let isMoved = false
  for (const transaction of unresolved) {
    const views = await queryResponsive(nodes, (node) => viewOf(node, transaction))
    if (views.reports.length === 0) throw new NoQuorumError(`the end of ${transaction.txHash}`, views)
    const of = { ...transaction, nowMs: clock().getTime() }
    const end = decideEnd(views, ruleOf(nodes), of)
    if (end === null) await offerAgain(context, of, views)
    else if (await resolve(context, transaction, end)) isMoved = true
  }
  return isMoved ? 'more' : 'idle'
}

/** In this order: what becomes solid in between is then seen, and not taken for missing. */
async function viewOf(node: TronNode, { txHash }: ExpiringTransactionRow): Promise<SolidView> {
  const { timestampMs: solidMs } = await readSolidHead(node)
  return { solidMs, outcome: await readSolidOutcome(node, txHash) }
}

async function offerAgain(
  context: TronContext,
  transaction: UnresolvedTransactionRow & { readonly nowMs: number },
  views: Responses<SolidView>,
): Promise<void> {
  const { terms, clock, log, nodes } = context
  const { lastBroadcastAt, txHash, chainId } = transaction
  const sinceMs = lastBroadcastAt === null ? Infinity : clock().getTime() - lastBroadcastAt.getTime()
  if (sinceMs < terms.rebroadcastSeconds * 1000) return
  // Nothing is signed for what it served until they agree, or the node that contradicts is taken out.
  if (isOver(views, ruleOf(nodes), transaction)) {
    const { reports } = views
    log.error({ msg: 'Nodes disagree about a transaction', tx_hash: txHash, chain_id: chainId, reports })
  }
  await offerStored(context, transaction)
}

async function resolve(
  { sql, log, metrics, clock }: TronContext,
  { txHash, chainId, payoutId, heldShareId }: ExpiringTransactionRow,
  end: End,
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
        read: async (node) => (await readSolidOutcome(node, txHash))?.isSuccess === true,
        toText: String,
      }),
  })
}
