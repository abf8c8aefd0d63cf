import type { ChainNode } from '../transport/node-heads.ts'
import { type BalanceOf, type FoundBalance, readFound } from './compare-balances.ts'

/** Where balances are wanted. */
export type WantedBalances = {
  readonly balances: readonly BalanceOf[]
  /** Where nothing is taken back any more; without a timestamp, whichever block that is. */
  readonly block: { readonly number: number; readonly timestamp: number | null }
  /** Whether the chain stands still there: the block is its last one, and not deep. */
  readonly isStanding: boolean
}

/** What a node says at one block; balances that it has not told are left out. */
export type NodeBalances = BalancesAt & {
  /** Read while its block moved on to this one, so of this one or of the one before: no evidence but of an excess. */
  readonly moved?: BalancesAt
}

type BalancesAt = {
  readonly block: { readonly number: number; readonly timestamp: number | null }
  readonly found: readonly FoundBalance[]
}

/**
 * Reads balances from one node, at the very block or at the one where that node can answer.
 *
 * @returns `null` if the node has another block there
 * @throws {BaseError} viem's, if the node does not answer
 */
export type ReadNodeBalances = (wanted: WantedBalances) => Promise<NodeBalances | null>

/** Makes what reads balances from a node that has the state after every late block. */
export function createPastReading(node: ChainNode): ReadNodeBalances {
  return async ({ balances, block }) => {
    if (block.timestamp !== null) {
      const { timestamp } = await node.client.getBlock({ blockNumber: BigInt(block.number) })
      if (Number(timestamp) !== block.timestamp) return null
    }
    return { block, found: await readFound(node, { balances, block: block.number }) }
  }
}
