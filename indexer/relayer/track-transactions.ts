import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryHeight } from '../../shared/chain/nodes/query-height.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Agreed } from '../../shared/chain/nodes/quorum.ts'
import {
  findHighestBlock,
  findUnindexedNonce,
  listOpenTransactions,
  listReplaced,
  type RelayerKey,
  type RelayerTransactionRow,
  reopenTransactions,
} from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { depth } from '../../shared/domain/transfer.ts'
import { broadcastTransaction } from './broadcast-transaction.ts'
import { exchange, move } from './move-transaction.ts'
import { type NonceUse, queryNonceUse } from './query-nonce-use.ts'
import { quoteDataFee } from './quote-data-fee.ts'
import { reexamineTransactions } from './reexamine-transactions.ts'
import type { RelayerContext } from './relayer-context.ts'
import { emptyTransaction, readSigned, replaceTransaction } from './replace-transaction.ts'

/** Those not mined come first and are few; of those waiting for their depth this many are looked at in a turn. */
const MAX_TRACKED = 200

/** How far a quorum of the chain's nodes has come. */
type ChainView = {
  readonly head: number
  /** Number of the relayer's mined transactions, and so the nonce of the next. */
  readonly minedNonce: number
}

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

  const view = await readChain(context).catch(async (error: unknown) => {
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

async function readChain({ nodes, key }: RelayerContext): Promise<ChainView> {
  const readHead = async ({ client }: ChainNode) => Number(await client.getBlockNumber({ cacheTime: 0 }))
  const [head, minedNonce] = await Promise.all([
    queryHeight(nodes, { subject: 'the head', read: readHead }),
    queryHeight(nodes, readMinedNonce(key)),
  ])
  return { head, minedNonce }
}

/** Returns the question for the number of an account's mined transactions; pending ones do not count. */
export function readMinedNonce({ relayer }: Pick<RelayerKey, 'relayer'>) {
  const read = ({ client }: ChainNode) =>
    client.getTransactionCount({ address: relayer, blockTag: 'latest' as const })
  return { subject: 'the nonce of our account', read }
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

/** Case 1. Never moves it: the chain does not have it. */
async function push(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  view: ChainView,
): Promise<boolean> {
  const { terms } = context
  const { createdAt, nonce, validUntil } = transaction
  const secondsSince = (moment: Date) => secondsUntilNow(context, moment)
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
  await offerAgain(context, transaction)
  return false
}

/** Offers the same bytes to all nodes, at most once in `rebroadcastSeconds`; returns whether it did. */
async function offerAgain(context: RelayerContext, transaction: RelayerTransactionRow): Promise<boolean> {
  const { lastBroadcastAt } = transaction
  const { rebroadcastSeconds } = context.terms
  if (lastBroadcastAt !== null && secondsUntilNow(context, lastBroadcastAt) < rebroadcastSeconds) return false
  await broadcastTransaction(context, transaction)
  return true
}

function secondsUntilNow({ clock }: Pick<RelayerContext, 'clock'>, moment: Date): number {
  return (clock().getTime() - moment.getTime()) / 1000
}

/**
 * Whether no node will ever take it: none has for long, though a quorum says that our account can pay for it and that the
 * base fee is below what it offers. The nodes' error messages do not decide: each node words them differently.
 */
async function isHopeless(
  { nodes, key, terms, clock }: RelayerContext,
  transaction: RelayerTransactionRow,
): Promise<boolean> {
  const { refusedSince, isEmpty } = transaction
  if (refusedSince === null || isEmpty) return false
  if (clock().getTime() - refusedSince.getTime() < terms.emptyAfterSeconds * 1000) return false
  const { call, fees } = readSigned(transaction)
  const pricePerGasWei = fees.maxFeePerGas
  const posting = await quoteDataFee(nodes, { terms: terms.dataFee, call, pricePerGasWei })
  const cost = call.gas * pricePerGasWei + posting.besideWei
  const verdict = await queryQuorum(nodes, {
    read: async ({ client }) => {
      const [balance, block] = await Promise.all([
        client.getBalance({ address: key.relayer }),
        client.getBlock(),
      ])
      return balance >= cost && (block.baseFeePerGas ?? 0n) <= pricePerGasWei
    },
    toText: String,
  })
  return verdict.outcome === 'agreed' && verdict.agreed.value
}

/** Cases 2 to 4. */
async function settleUsedNonce(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  { head }: ChainView,
): Promise<boolean> {
  const { txHash, nonce, chainId } = transaction
  const earlier = await listReplaced(context.sql, transaction)
  const txHashes = [txHash, ...earlier.map((replaced) => replaced.txHash)]
  const verdict = await queryNonceUse(context, { nonce, txHashes, head })
  if (verdict.outcome === 'agreed' && verdict.agreed.value.type !== 'unknown')
    return settleAgreed(context, transaction, { use: verdict.agreed, earlier, head })
  const isOffered = await offerAgain(context, transaction)
  if (isOffered && verdict.outcome === 'disagreed') {
    const { reports } = verdict
    context.log.error({
      msg: 'Nodes disagree about a transaction',
      tx_hash: txHash,
      chain_id: chainId,
      reports,
    })
  }
  return false
}

type Settling = {
  readonly use: Agreed<NonceUse>
  readonly earlier: readonly RelayerTransactionRow[]
  readonly head: number
}

async function settleAgreed(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
  { use: { value: use }, earlier, head }: Settling,
): Promise<boolean> {
  const { txHash, nonce, chainId } = transaction
  if (use.type !== 'ours') {
    context.log.error({ msg: 'Nonce was taken by a stranger', tx_hash: txHash, chain_id: chainId, nonce })
    return move(context, transaction, { to: 'replaced', blockNumber: null })
  }
  const { blockNumber } = use
  const version = earlier.find((replaced) => replaced.txHash === use.txHash)
  if (version !== undefined) return exchange(context, transaction, { earlier: version, blockNumber })
  const isDeep = depth({ head, block: blockNumber }) >= context.terms.confirmations
  if (!isDeep && transaction.blockNumber === blockNumber) return false
  const outcome = use.isSuccess && !transaction.isEmpty ? 'final' : 'reverted'
  return move(context, transaction, { to: isDeep ? outcome : 'mined', blockNumber })
}
