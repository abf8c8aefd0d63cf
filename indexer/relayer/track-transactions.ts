import {
  findHighestBlock,
  findUnindexedNonce,
  listOpenTransactions,
  type RelayerTransactionRow,
  reopenTransactions,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { depth } from '../../shared/domain/transfer.ts'
import { move } from './move-transaction.ts'
import { offerAgain, push } from './push-transaction.ts'
import { type ChainView, queryChainView } from './query-chain-view.ts'
import { reexamineTransactions } from './reexamine-transactions.ts'
import type { RelayerContext } from './relayer-context.ts'
import { settleUsedNonce } from './settle-used-nonce.ts'

/** Those not mined come first and are few; of those waiting for their depth this many are looked at in a turn. */
const MAX_TRACKED = 200

/**
 * Brings every unresolved transaction to where the chain has it.
 *
 * The cases, in order:
 * 1. Its nonce is not used yet: it is offered again, and if it is stuck, replaced; by an empty one if it is over, or if
 *    no node will ever take it. One that had been mined has been reorganized away.
 * 2. Its nonce is used, and a quorum shows the same receipt: mined, and at depth final or reverted, as an empty one always
 *    is. Only depth resolves it; until then a reorganization may turn a revert into a success and the other way round. If
 *    the receipt is that of an earlier version that it replaced, that version counts again.
 * 3. Its nonce is used at depth, and a quorum shows that by none of ours: a stranger holding the same key has taken it.
 * 4. Its nonce is used, and no quorum shows by what: it stays unresolved, and the same bytes are offered again.
 *
 * A resolved transaction whose event is long missing is examined again (see `reexamineTransactions`). Several daemons may do this at once: every move is conditional on what it was decided from.
 *
 * @returns `more` if something moved
 * @throws {NoQuorumError} if too few nodes respond
 */
export async function trackTransactions(context: RelayerContext): Promise<'more' | 'idle'> {
  const { sql, key, metrics } = context
  await reexamineTransactions(context)
  const open = await listOpenTransactions(sql, { ...key, limit: MAX_TRACKED })
  metrics.setUnmined(open.filter(({ status }) => status === 'signed').length)
  // A resolved one counts as mined while its event is awaited: then the chain must have used its nonce, too.
  const [first] = open
  const lowestNonce = first?.nonce ?? (await findUnindexedNonce(sql, key))
  if (lowestNonce === null) return 'idle'

  const view = await queryChainView(context).catch(async (error: unknown) => {
    await offerOpen(context, open)
    throw error
  })
  const isGap = view.minedNonce < lowestNonce + (first === undefined ? 1 : 0)
  if (isGap && (await isBehind(context, view))) return 'idle'
  let isMoved = isGap && (await reopenVanished(context, view))
  for (const transaction of open) {
    if (await trackTransaction(context, transaction, view)) isMoved = true
  }
  return isMoved ? 'more' : 'idle'
}

/** While no quorum responds nothing is concluded, but one node may still carry what it is sent. */
async function offerOpen(context: RelayerContext, open: readonly RelayerTransactionRow[]): Promise<void> {
  for (const transaction of open) {
    const { status, validUntil } = transaction
    const isOver = validUntil !== null && validUntil <= context.clock()
    if (status === 'signed' && !isOver) await offerAgain(context, transaction)
  }
}

/** Nodes that are still catching up know less of the relayer than we saw mined: nothing can be concluded from them. */
async function isBehind({ sql, key, log }: RelayerContext, { head }: ChainView): Promise<boolean> {
  const highest = await findHighestBlock(sql, key)
  if (head >= highest) return false
  log.warn({ msg: 'Nodes are behind our transactions', chain_id: key.chainId, head, highest_block: highest })
  return true
}

/**
 * A reorganization deeper than the confirmation depth has taken back what was resolved: nothing behind it can be mined
 * until it is again.
 */
async function reopenVanished(
  { sql, key, log }: RelayerContext,
  { minedNonce }: ChainView,
): Promise<boolean> {
  const count = await reopenTransactions(sql, { ...key, fromNonce: minedNonce })
  if (count > 0) log.error({ msg: 'Resolved transactions vanished', chain_id: key.chainId, count })
  return count > 0
}

async function trackTransaction(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  view: ChainView,
): Promise<boolean> {
  if (transaction.nonce >= view.minedNonce) {
    return transaction.status === 'mined'
      ? move(context, transaction, { to: 'signed', blockNumber: null })
      : push(context, transaction, view)
  }
  if (isWaitingForDepth(context, transaction, view)) return false
  return settleUsedNonce(context, transaction, view)
}

/** Nothing can be concluded before the block it was seen in is at depth: requests until then would be for nothing. */
function isWaitingForDepth(
  { terms }: RelayerContext,
  { status, blockNumber }: RelayerTransactionRow,
  { head }: ChainView,
): boolean {
  return (
    status === 'mined' && blockNumber !== null && depth({ head, block: blockNumber }) < terms.confirmations
  )
}
