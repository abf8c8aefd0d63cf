import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import {
  findHighestBlock,
  findUnindexedNonce,
  listOpenTransactions,
  type RelayerTransactionRow,
  reopenTransactions,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { getDepth } from '../../shared/domain/transfer.ts'
import { type ChainView, queryChainView, readMinedNonce } from './query-chain-view.ts'
import { broadcastAgain, rebroadcast } from './rebroadcast.ts'
import { reexamineTransactions } from './reexamine-transactions.ts'
import type { RelayerContext } from './relayer-context.ts'
import { settleUsedNonce } from './settle-used-nonce.ts'
import { transitionTransaction } from './transition-transaction.ts'

/** Maximum transactions tracked per turn. Unmined transactions come first. */
const MAX_TRACKED = 200

/**
 * Updates the status of every unresolved transaction from the chain.
 *
 * The cases, in order:
 * 1. The nonce is unused: the transaction is broadcast again, or replaced if it is stuck. An empty transaction replaces
 *    it if it expired or if no node will ever accept it. A transaction that was recorded as mined becomes unmined
 *    again, because a reorganization removed it.
 * 2. The nonce is used, and a quorum shows the same receipt: the transaction becomes `mined`, and at confirmation depth
 *    `final` or `reverted`. An empty transaction always ends as `reverted`. Only confirmation depth resolves a
 *    transaction, because until then a reorganization can turn a revert into a success and vice versa. If the receipt
 *    belongs to an earlier version that the transaction replaced, that version becomes current again.
 * 3. The nonce is used at confirmation depth, and a quorum shows that none of our transactions used it: the transaction
 *    becomes `replaced`. Someone else has the same key.
 * 4. The nonce is used, but no quorum shows by which transaction: the same bytes are broadcast again.
 *
 * A resolved transaction whose event stays missing is examined again (see `reexamineTransactions`). Several daemons may
 * run this concurrently, because every update requires that the status is still the one that was read.
 *
 * @returns `more` if a transaction was mined, resolved or reopened
 * @throws {NoQuorumError} if too few nodes respond
 */
export async function trackTransactions(context: RelayerContext): Promise<'more' | 'idle'> {
  const { sql, key, metrics } = context
  await reexamineTransactions(context)
  const open = await listOpenTransactions(sql, { ...key, limit: MAX_TRACKED })
  metrics.setUnmined(open.filter(({ status }) => status === 'signed').length)
  // If no transaction is unresolved, checks the final ones whose event is not indexed yet. The chain must have used
  // their nonces.
  const [first] = open
  const lowestNonce = first?.nonce ?? (await findUnindexedNonce(sql, key))
  if (lowestNonce === null) return 'idle'

  const view = await queryChainView(context).catch(async (error: unknown) => {
    await offerOpen(context, open)
    throw error
  })
  const isGap = view.minedNonce < lowestNonce + (first === undefined ? 1 : 0)
  if (isGap && (await isBehind(context, view))) return 'idle'
  if (isGap && !(await isGapAgreed(context, view))) {
    await offerOpen(context, open)
    return 'idle'
  }
  let isMoved = isGap && (await reopenVanished(context, view))
  for (const transaction of open) {
    if (await trackTransaction(context, transaction, view)) isMoved = true
  }
  return isMoved ? 'more' : 'idle'
}

/**
 * Broadcasts the unmined and unexpired transactions again without a quorum, because a single node might still forward
 * them.
 */
async function offerOpen(context: RelayerContext, open: readonly RelayerTransactionRow[]): Promise<void> {
  for (const transaction of open) {
    const { status, validUntil } = transaction
    const isOver = validUntil !== null && validUntil <= context.clock()
    if (status === 'signed' && !isOver) await broadcastAgain(context, transaction)
  }
}

/**
 * Returns whether the nodes lag behind a block that contained one of our transactions. Reports of lagging nodes are not
 * used.
 */
async function isBehind({ sql, key, log }: RelayerContext, { head }: ChainView): Promise<boolean> {
  const highest = await findHighestBlock(sql, key)
  if (head >= highest) return false
  log.warn({
    msg: 'Nodes do not show our latest transactions yet',
    chain_id: key.chainId,
    head,
    highest_block: highest,
  })
  return true
}

/**
 * Returns whether a quorum shows that the account's next nonce is unused. `minedNonce` does not prove that: with two
 * nodes it is the lower number, so a single node could report a used nonce as unused.
 */
async function isGapAgreed({ nodes, key, log }: RelayerContext, { minedNonce }: ChainView): Promise<boolean> {
  const { read } = readMinedNonce(key)
  const verdict = await queryQuorum(nodes, {
    read: async (node) => (await read(node)) <= minedNonce,
    toText: String,
  })
  const isAgreed = verdict.outcome === 'agreed' && verdict.agreed.value
  if (!isAgreed)
    log.warn({
      msg: 'No quorum shows that our latest transactions are missing',
      chain_id: key.chainId,
      mined_nonce: minedNonce,
    })
  return isAgreed
}

/**
 * Reopens transactions that a reorganization deeper than the confirmation depth removed. Until these are mined again,
 * no transaction with a higher nonce can be mined.
 */
async function reopenVanished(
  { sql, key, metrics, log }: RelayerContext,
  { minedNonce }: ChainView,
): Promise<boolean> {
  const count = await reopenTransactions(sql, { ...key, fromNonce: minedNonce })
  for (let reopened = 0; reopened < count; reopened += 1) metrics.countTransaction('signed')
  if (count > 0) log.error({ msg: 'Final transactions were orphaned', chain_id: key.chainId, count })
  return count > 0
}

async function trackTransaction(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  view: ChainView,
): Promise<boolean> {
  if (transaction.nonce >= view.minedNonce) {
    return transaction.status === 'mined'
      ? transitionTransaction(context, transaction, { to: 'signed', blockNumber: null })
      : rebroadcast(context, transaction, view)
  }
  if (isWaitingForDepth(context, transaction, view)) return false
  return settleUsedNonce(context, transaction, view)
}

/** Before confirmation depth, no node is queried about a mined transaction, because it cannot be resolved. */
function isWaitingForDepth(
  { terms }: RelayerContext,
  { status, blockNumber }: RelayerTransactionRow,
  { head }: ChainView,
): boolean {
  return (
    status === 'mined' && blockNumber !== null && getDepth({ head, block: blockNumber }) < terms.confirmations
  )
}
