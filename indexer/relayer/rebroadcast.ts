import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { RelayerTransactionRow } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { broadcastTransaction } from './broadcast-transaction.ts'
import type { ChainView } from './query-chain-view.ts'
import { quoteDataFee } from './quote-data-fee.ts'
import type { RelayerContext } from './relayer-context.ts'
import { cancelTransaction, readSigned, replaceTransaction } from './replace-transaction.ts'

/**
 * Handles a transaction whose nonce is still unused on the chain: replaces the transaction if it is stuck, has expired,
 * or will never be accepted, and otherwise broadcasts it again.
 *
 * @returns always `false`, because an immediate next turn would find nothing new
 */
export async function rebroadcast(
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
    const empty = await cancelTransaction(context, transaction)
    if (empty !== null) await broadcastTransaction(context, empty)
    // An expired transaction is not broadcast again, even if it could not be replaced.
    if (empty !== null || isOver) return false
  }
  if (isNext && secondsSince(createdAt) >= terms.replaceAfterSeconds) {
    const replacement = await replaceTransaction(context, transaction)
    if (replacement !== null) {
      await broadcastTransaction(context, replacement)
      return false
    }
  }
  await broadcastAgain(context, transaction)
  return false
}

/** Broadcasts the same bytes again, unless less than `rebroadcastSeconds` have passed. Returns whether it did. */
export async function broadcastAgain(
  context: RelayerContext,
  transaction: RelayerTransactionRow,
): Promise<boolean> {
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
 * Returns whether no node is likely to ever accept the transaction: for `emptyAfterSeconds`, nodes have rejected it and
 * none has accepted it, although a quorum reports that our account can pay for it and that the base fee does not exceed
 * the transaction's maximum. Error messages are not used, because each node words them differently.
 */
async function isHopeless(
  { nodes, key, terms, clock }: RelayerContext,
  transaction: RelayerTransactionRow,
): Promise<boolean> {
  const { rejectedSince, isCancellation } = transaction
  if (rejectedSince === null || isCancellation) return false
  if (clock().getTime() - rejectedSince.getTime() < terms.emptyAfterSeconds * 1000) return false
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
