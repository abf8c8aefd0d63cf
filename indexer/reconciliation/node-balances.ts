import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { type BalanceOf, type FoundBalance, readFound } from './compare-balances.ts'

/** A block at which balances are wanted, as a quorum shows it. */
export type WantedBlock = { readonly number: number; readonly hash: Hex; readonly timestamp: number }

/** Where balances are wanted. */
export type WantedBalances = {
  readonly balances: readonly BalanceOf[]
  readonly block: WantedBlock
  /** Whether the chain stands still there: the block is its last one, and not at depth. */
  readonly isStanding: boolean
}

/** What a node reports at one block; balances that it did not report are left out. */
export type NodeBalances = BalancesAt & {
  /** Read while its block moved on to this one, so of this one or of the one before: only an excess counts. */
  readonly moved?: BalancesAt
}

type BalancesAt = {
  readonly block: { readonly number: number; readonly timestamp: number | null }
  readonly found: readonly FoundBalance[]
}

/**
 * Reads balances from one node, at the very block or at the one where that node can respond.
 *
 * @throws {Error} if the node does not respond, or has another block there
 */
export type ReadNodeBalances = (wanted: WantedBalances) => Promise<NodeBalances>

/** Creates what reads balances from a node that has the state after every late block. */
export function createPastReading({ name, client }: Pick<ChainNode, 'name' | 'client'>): ReadNodeBalances {
  return async ({ balances, block }) => {
    const { hash, timestamp } = await client.getBlock({ blockNumber: BigInt(block.number) })
    if (hash !== block.hash || Number(timestamp) !== block.timestamp)
      throw new AppError(
        'rpc_unavailable',
        `${name} has block ${hash} at ${block.number}, a quorum ${block.hash}`,
      )
    return { block, found: await readFound({ client }, { balances, block: block.number }) }
  }
}
