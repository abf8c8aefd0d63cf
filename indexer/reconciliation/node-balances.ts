import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { type BalanceKey, type ObservedBalance, readObservedBalances } from './compare-balances.ts'

/** A block at which balances are requested, as a quorum shows it. */
export type BlockRequest = { readonly number: number; readonly hash: Hex; readonly timestamp: number }

export type BalanceQuery = {
  readonly balances: readonly BalanceKey[]
  readonly block: BlockRequest
  /**
   * Whether the chain is stalled at the block. The block is then the chain's last block, and not at confirmation depth.
   */
  readonly isStanding: boolean
}

/** Balances that a node reports at one block. Balances that it did not report are omitted. */
export type NodeBalances = BalancesAt & {
  /**
   * Balances that were read while the node advanced to this block. They might belong to an earlier block, so they count
   * only if they exceed the balance that our rows explain.
   */
  readonly moved?: BalancesAt
}

type BalancesAt = {
  readonly block: { readonly number: number; readonly timestamp: number | null }
  readonly found: readonly ObservedBalance[]
}

/**
 * Reads balances from one node at the requested block. A node without historical state reads its newest solidified
 * block instead, or its newest block if the chain is stalled.
 *
 * @throws {Error} if the node does not respond, or if it has historical state and another block at the requested number
 */
export type ReadNodeBalances = (wanted: BalanceQuery) => Promise<NodeBalances>

/** Creates the balance reader of a node that has the state of every recent block. */
export function createArchiveBalanceReader({
  name,
  client,
}: Pick<ChainNode, 'name' | 'client'>): ReadNodeBalances {
  return async ({ balances, block }) => {
    const { hash, timestamp } = await client.getBlock({ blockNumber: BigInt(block.number) })
    if (hash !== block.hash || Number(timestamp) !== block.timestamp)
      throw new AppError(
        'rpc_unavailable',
        `${name} has block ${block.number} with hash ${hash} and time ${timestamp}, but a quorum shows hash ${block.hash} and time ${block.timestamp}`,
      )
    return { block, found: await readObservedBalances({ client }, { balances, block: block.number }) }
  }
}
