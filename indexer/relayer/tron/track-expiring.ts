import { askAllTron } from '../../../shared/chain/tron/ask-tron.ts'
import { readSolidHead, readSolidOutcome, type TronOutcome } from '../../../shared/chain/tron/read-tron.ts'
import { type TronNode, TronNodeError } from '../../../shared/chain/tron/tron-node.ts'
import {
  type ExpiringStatus,
  type ExpiringTransactionRow,
  listUnresolved,
  resolveTransaction,
  type UnresolvedTransactionRow,
} from '../../../shared/db/relayer/daemon/expiring-transactions.ts'
import { leaveOutStopped } from './leave-out-stopped.ts'
import { offerStored } from './offer-stored.ts'
import type { TronContext } from './tron-context.ts'

/** Looked at in one turn, the oldest first. */
const MAX_TRACKED = 100

/** Behind one name several machines may answer, and the one that has no outcome may lag behind the one asked for its head. */
const LAG_MS = 30_000

/** What one node has of a transaction, and up to when it could have it. */
export type SolidView = {
  /** Of the newest solid block, read before the outcome was: in Unix milliseconds. */
  readonly solidMs: number
  /** `null`: no solid block has it. */
  readonly outcome: TronOutcome | null
}

/**
 * Brings every unresolved transaction to where the chain has it. The cases, in order:
 * 1. A solid block has it: final, or reverted. Nothing takes that back, and nobody looks again: so of two nodes both must
 *    say so, or one of them and the feed, which has counted what the split logged in it.
 * 2. None has it, and every node that goes on has a solid block of its expiration or later: it is in none, and never
 *    will be. Then others may be signed for what it served.
 * 3. It may be in a block, in a pool, or forgotten: the same bytes are offered again, now and then.
 *
 * What is in blocks that are not solid is not looked at: forks of two blocks take it back. Several daemons may do this at
 * once: a transaction is resolved once.
 *
 * @returns `more` if something was resolved
 * @throws {TronNodeError} if no node of the chain answers
 */
export async function trackExpiring(context: TronContext): Promise<'more' | 'idle'> {
  const { sql, key, nodes, metrics, clock } = context
  const unresolved = await listUnresolved(sql, { ...key, limit: MAX_TRACKED })
  metrics.setUnmined(unresolved.length)
  let isMoved = false
  for (const transaction of unresolved) {
    const views = await askAllTron(nodes, (node) => viewOf(node, transaction))
    if (views.length === 0)
      throw new TronNodeError({ name: '' }, `of ${nodes.length} says what became of ${transaction.txHash}`)
    const of = { ...transaction, nodeCount: nodes.length, nowMs: clock().getTime() }
    const end = decideEnd(views, of)
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

type End = { readonly to: Exclude<ExpiringStatus, 'signed'>; readonly blockNumber: number | null }

type Followed = Pick<UnresolvedTransactionRow, 'validUntil' | 'isIndexed'> & {
  /** How many are configured, whether or not they answer. */
  readonly nodeCount: number
  /** By our own clock, in Unix milliseconds. */
  readonly nowMs: number
}

/**
 * Decides what has become of a transaction by what the nodes of its chain say; `null`: nothing yet. Pure.
 *
 * A transaction can be in a block whose parent is older than its expiration, so also in the first block of that time or
 * later, but in none that follows (java-tron, `Manager.validateCommon`). A node that lags, or has lost it, is no reason
 * to sign another: all must agree that it is nowhere, or has moved nothing. What one that has stopped has seen counts;
 * its old block does not hold back the others, and never stands for the chain's.
 *
 * @param views - not empty
 */
export function decideEnd(views: readonly SolidView[], of: Followed): End | null {
  const outcomes = views.flatMap(({ outcome }) => outcome ?? [])
  const successes = outcomes.filter(({ isSuccess }) => isSuccess)
  const witnesses = Math.min(2, of.nodeCount)
  const [success] = successes
  if (success && (of.isIndexed || (outcomes.length === successes.length && successes.length >= witnesses)))
    return { to: 'final', blockNumber: success.blockNumber }
  if (success) return null
  const [revert] = outcomes
  if (revert && outcomes.length >= witnesses) return { to: 'reverted', blockNumber: revert.blockNumber }
  return isOver(views, of) ? { to: 'expired', blockNumber: null } : null
}

/** Whether its expiration lies in a solid block of every node that goes on. */
function isOver(views: readonly SolidView[], { validUntil, nowMs }: Followed): boolean {
  return leaveOutStopped(views, { timeOf: ({ solidMs }) => solidMs, nowMs }).every(
    ({ solidMs }) => solidMs >= validUntil.getTime() + LAG_MS,
  )
}

async function offerAgain(
  context: TronContext,
  transaction: UnresolvedTransactionRow & Followed,
  views: readonly SolidView[],
): Promise<void> {
  const { terms, clock, log } = context
  const { lastBroadcastAt, txHash, chainId } = transaction
  const sinceMs = lastBroadcastAt === null ? Infinity : clock().getTime() - lastBroadcastAt.getTime()
  if (sinceMs < terms.rebroadcastSeconds * 1000) return
  // Nothing is signed for what it served until they agree, or the one that says something else is taken out.
  if (isOver(views, transaction))
    log.error({ msg: 'Nodes disagree about a transaction', tx_hash: txHash, chain_id: chainId, views })
  await offerStored(context, transaction)
}

async function resolve(
  { sql, log, metrics }: TronContext,
  { txHash, chainId, payoutId, heldShareId }: ExpiringTransactionRow,
  end: End,
): Promise<boolean> {
  if (!(await resolveTransaction(sql, { txHash, ...end }))) return false
  metrics.countTransaction(end.to)
  const served = { payout_id: payoutId, held_share_id: heldShareId }
  const fields = { tx_hash: txHash, chain_id: chainId, ...served, block_number: end.blockNumber }
  log.info({ msg: 'Resolved a transaction', ...fields, to: end.to })
  return true
}
