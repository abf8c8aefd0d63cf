import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Verdict } from '../../shared/chain/nodes/quorum.ts'
import { findReceipt } from '../../shared/chain/nodes/receipts.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { RelayerContext } from './relayer-context.ts'

/** Use of a relayer nonce, as one node reports it. */
export type NonceUse =
  /** One of our transactions used the nonce, with this result. */
  | {
      readonly type: 'ours'
      readonly txHash: Hex
      readonly blockHash: Hex
      readonly blockNumber: number
      readonly isSuccess: boolean
    }
  /** The nonce is used at confirmation depth, but the node has no receipt of our transactions. */
  | { readonly type: 'foreign' }
  /** The node has no receipt of our transactions, and the nonce is not used at confirmation depth. */
  | { readonly type: 'unknown' }

/** A nonce and our transactions that might have used it, newest first. */
export type NonceQuery = {
  readonly nonce: number
  readonly txHashes: readonly Hex[]
  /** Highest block that a quorum of operators has reached. */
  readonly head: number
}

/**
 * Queries a quorum for the transaction that used a nonce. The nodes must agree on one of our transactions, its block
 * and its result, or on `foreign` or `unknown`.
 */
export function queryNonceUse(
  { nodes, key, terms }: Pick<RelayerContext, 'nodes' | 'key' | 'terms'>,
  { nonce, txHashes, head }: NonceQuery,
): Promise<Verdict<NonceUse>> {
  const confirmedHeadNumber = head - terms.confirmations + 1
  return queryQuorum(nodes, {
    read: async (node) => {
      const ours = await findFirstReceipt(node, txHashes)
      if (ours !== null) return ours
      const isUsed =
        confirmedHeadNumber >= 0 && nonce < (await countMined(node, key.relayer, confirmedHeadNumber))
      return { type: isUsed ? 'foreign' : 'unknown' }
    },
    toText: describeNonceUse,
  })
}

async function findFirstReceipt({ client }: ChainNode, txHashes: readonly Hex[]): Promise<NonceUse | null> {
  for (const txHash of txHashes) {
    const receipt = await findReceipt(client, txHash)
    if (receipt === null) continue
    const { blockHash, blockNumber, status } = receipt
    return {
      ...{ type: 'ours', txHash, blockHash, blockNumber: Number(blockNumber) },
      isSuccess: status === 'success',
    }
  }
  return null
}

function countMined(
  { client }: ChainNode,
  address: RelayerContext['key']['relayer'],
  blockNumber: number,
): Promise<number> {
  return client.getTransactionCount({ address, blockNumber: BigInt(blockNumber) })
}

function describeNonceUse(use: NonceUse): string {
  if (use.type !== 'ours') return use.type
  const { txHash, blockHash, blockNumber, isSuccess } = use
  return [txHash, blockHash.toLowerCase(), blockNumber, isSuccess].join('/')
}
