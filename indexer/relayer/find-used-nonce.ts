import type { TransactionReceipt } from 'viem'
import { askNodes } from '../../shared/chain/ask-nodes.ts'
import { findReceipt } from '../../shared/chain/receipts.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { RelayerContext } from './relayer-context.ts'

/** What the nodes that answer say of a transaction's receipt, and how many they are. */
export type ReceiptSearch = { readonly receipt: TransactionReceipt | null; readonly answers: number }

/**
 * Reads a transaction's receipt from whichever node has it; `null` if none that answers has it.
 *
 * A node that leaves it out may count its nonce all the same: by that one's word a transaction that was mined would be
 * given up, and its call made again.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function findAnyReceipt(
  { nodes }: Pick<RelayerContext, 'nodes'>,
  txHash: Hex,
): Promise<ReceiptSearch> {
  const receipts = await askNodes(nodes, (node) => findReceipt(node, txHash))
  return { receipt: receipts.find((receipt) => receipt !== null) ?? null, answers: receipts.length }
}

/**
 * Whether a nonce of the relayer is used at confirmation depth, by the word of every node that answers.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function isNonceUsedDeep(
  { nodes, key, terms }: Pick<RelayerContext, 'nodes' | 'key' | 'terms'>,
  nonce: number,
): Promise<boolean> {
  const counts = await askNodes(nodes, async (node) => {
    const deepNumber = (await node.getBlockNumber({ cacheTime: 0 })) - BigInt(terms.confirmations - 1)
    return deepNumber < 0n ? 0 : node.getTransactionCount({ address: key.relayer, blockNumber: deepNumber })
  })
  return counts.every((count) => nonce < count)
}
