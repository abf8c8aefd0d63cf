import type { TransactionReceipt } from 'viem'
import { findReceipt } from '../../shared/chain/receipts.ts'
import {
  findHighestBlock,
  findUnindexedNonce,
  listOpenTransactions,
  listReplaced,
  type RelayerTransactionRow,
  reopenTransactions,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { depth } from '../../shared/domain/transfer.ts'
import { broadcastTransaction } from './broadcast-transaction.ts'
import { findAnyReceipt, isNonceUsedDeep } from './find-used-nonce.ts'
import { exchange, move } from './move-transaction.ts'
import { quoteDataFee } from './quote-data-fee.ts'
import type { RelayerContext } from './relayer-context.ts'
import { emptyTransaction, readSigned, replaceTransaction } from './replace-transaction.ts'

/** Those not mined come first and are few; of those waiting for their depth this many are looked at in a turn. */
const MAX_TRACKED = 200

/** A transaction so old is given up by the word of one node, where no second one answers. */
const SECOND_NODE_PATIENCE_MS = 600_000

/** One look at the chain. */
type ChainView = {
  readonly head: number
  /** How many of the relayer's transactions are mined, and so the nonce of the next. */
  readonly minedNonce: number
}

/**
 * Brings every unresolved transaction to where the chain has it.
 *
 * The cases, in order:
 * 1. Its nonce is not used yet: it is offered again, and if it is stuck, replaced; by an empty one if it is over, or if
 *    no node will ever take it. One that had been mined has been reorganized away.
 * 2. Its nonce is used and it has a receipt: mined, and at depth final or reverted, as an empty one always is. Only depth
 *    resolves it; until then a reorganization may turn a revert into a success and the other way round.
 * 3. Its nonce is used, and no node has a receipt of it: an earlier version that it replaced was mined after all; or,
 *    once that is deep and two nodes have answered where there are two, a stranger holding the same key has taken the nonce.
 *
 * Several daemons may do this at once: every move is conditional on what it was decided from.
 *
 * @returns `more` if something moved
 * @throws {BaseError} viem's, if no node of the chain answers
 */
export async function trackTransactions(context: RelayerContext): Promise<'more' | 'idle'> {
  const { sql, key, metrics } = context
  const open = await listOpenTransactions(sql, { ...key, limit: MAX_TRACKED })
  metrics.setUnmined(open.filter(({ status }) => status === 'signed').length)
  // A resolved one counts as mined while its event is awaited: then the chain must have used its nonce, too.
  const [first] = open
  const lowestNonce = first?.nonce ?? (await findUnindexedNonce(sql, key))
  if (lowestNonce === null) return 'idle'

  const view = await readChain(context)
  const isGap = view.minedNonce < lowestNonce + (first === undefined ? 1 : 0)
  if (isGap && (await isBehind(context, view))) return 'idle'
  let isMoved = isGap && (await reopenVanished(context, view))
  for (const transaction of open) {
    if (await trackTransaction(context, transaction, view)) isMoved = true
  }
  return isMoved ? 'more' : 'idle'
}

async function readChain({ client, key }: RelayerContext): Promise<ChainView> {
  const [head, minedNonce] = await Promise.all([
    client.getBlockNumber({ cacheTime: 0 }),
    client.getTransactionCount({ address: key.relayer, blockTag: 'latest' }),
  ])
  return { head: Number(head), minedNonce }
}

/** A node that is still catching up knows less of the relayer than we saw mined: of it nothing can be concluded. */
async function isBehind({ sql, key, log }: RelayerContext, { head }: ChainView): Promise<boolean> {
  const highest = await findHighestBlock(sql, key)
  if (head >= highest) return false
  log.warn({ msg: 'A node is behind our transactions', chain_id: key.chainId, head, highest_block: highest })
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
  const receipt = await findReceipt(context.client, transaction.txHash)
  return receipt === null
    ? settleUsedNonce(context, transaction, view)
    : settleReceipt(context, transaction, { receipt, view })
}

/** Nothing can be concluded before the block it was seen in is deep: asking each turn would be for nothing. */
function isWaitingForDepth(
  { terms }: RelayerContext,
  { status, blockNumber }: RelayerTransactionRow,
  { head }: ChainView,
): boolean {
  return (
    status === 'mined' && blockNumber !== null && depth({ head, block: blockNumber }) < terms.confirmations
  )
}

/** Case 1. Never moves it: whatever the node says, the chain has not got it. */
async function push(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  view: ChainView,
): Promise<boolean> {
  const { terms, clock } = context
  const secondsSince = (moment: Date) => (clock().getTime() - moment.getTime()) / 1000
  const { lastBroadcastAt, createdAt, nonce, validUntil } = transaction
  const isNext = nonce === view.minedNonce
  const isOver = validUntil !== null && secondsSince(validUntil) >= 0
  if (isOver || (isNext && (await isHopeless(context, transaction)))) {
    const empty = await emptyTransaction(context, transaction)
    if (empty !== null) await broadcastTransaction(context, empty)
    // What is over is not offered again, whatever becomes of its replacement.
    if (empty !== null || isOver) return false
  }
  if (isNext && secondsSince(createdAt) >= terms.replaceAfterSeconds) {
    const replacement = await replaceTransaction(context, transaction)
    if (replacement !== null) {
      await broadcastTransaction(context, replacement)
      return false
    }
  }
  if (lastBroadcastAt === null || secondsSince(lastBroadcastAt) >= terms.rebroadcastSeconds) {
    await broadcastTransaction(context, transaction)
  }
  return false
}

/**
 * Whether no node will ever take it: none has for long, though our account can pay for it and the base fee is below
 * what it offers. By these and not by what the nodes write, which each of them words otherwise.
 */
async function isHopeless(
  { client, nodes, key, terms, clock }: RelayerContext,
  transaction: RelayerTransactionRow,
): Promise<boolean> {
  const { refusedSince, isEmpty } = transaction
  if (refusedSince === null || isEmpty) return false
  if (clock().getTime() - refusedSince.getTime() < terms.emptyAfterSeconds * 1000) return false
  const [balance, block] = await Promise.all([client.getBalance({ address: key.relayer }), client.getBlock()])
  const { call, fees } = readSigned(transaction)
  const pricePerGasWei = fees.maxFeePerGas
  const posting = await quoteDataFee(nodes, { terms: terms.dataFee, call, pricePerGasWei })
  const cost = call.gas * pricePerGasWei + posting.besideWei
  return balance >= cost && (block.baseFeePerGas ?? 0n) <= pricePerGasWei
}

/** Case 2. */
async function settleReceipt(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  { receipt, view }: { readonly receipt: TransactionReceipt; readonly view: ChainView },
): Promise<boolean> {
  const blockNumber = Number(receipt.blockNumber)
  const isDeep = depth({ head: view.head, block: blockNumber }) >= context.terms.confirmations
  if (!isDeep && transaction.blockNumber === blockNumber) return false
  const hasMoved = receipt.status === 'success' && !transaction.isEmpty
  const outcome = hasMoved ? 'final' : 'reverted'
  return move(context, transaction, { to: isDeep ? outcome : 'mined', blockNumber })
}

/** Case 3, as far as the node that was asked knows. */
async function settleUsedNonce(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  view: ChainView,
): Promise<boolean> {
  const { txHash, nonce, chainId } = transaction
  const own = await findAnyReceipt(context, txHash)
  if (own.receipt !== null) return settleReceipt(context, transaction, { receipt: own.receipt, view })
  let { answers } = own
  for (const earlier of await listReplaced(context.sql, transaction)) {
    const its = await findAnyReceipt(context, earlier.txHash)
    if (its.receipt !== null)
      return exchange(context, transaction, { earlier, blockNumber: Number(its.receipt.blockNumber) })
    answers = Math.min(answers, its.answers)
  }
  if (isWaitingForSecondNode(context, transaction, answers)) return false
  if (!(await isNonceUsedDeep(context, nonce))) return false
  context.log.error({ msg: 'Nonce was taken by a stranger', tx_hash: txHash, chain_id: chainId, nonce })
  return move(context, transaction, { to: 'replaced', blockNumber: null })
}

/** What one node does not show the other may, which does not answer just now; but it may be gone for good. */
function isWaitingForSecondNode(
  { nodes, clock }: RelayerContext,
  { createdAt }: RelayerTransactionRow,
  answers: number,
): boolean {
  const isYoung = clock().getTime() - createdAt.getTime() < SECOND_NODE_PATIENCE_MS
  return answers < Math.min(2, nodes.length) && isYoung
}
