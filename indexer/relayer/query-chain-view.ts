import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryHeadNumber } from '../../shared/chain/nodes/query-head.ts'
import { queryHeight } from '../../shared/chain/nodes/query-height.ts'
import type { RelayerKey } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { RelayerContext } from './relayer-context.ts'

export type ChainView = {
  readonly head: number
  /** Number of the relayer's mined transactions, which is the lowest nonce that the chain has not used. */
  readonly minedNonce: number
}

/**
 * Reads the head and the mined nonce that a quorum of a chain's operators has reached.
 *
 * @throws {NoQuorumError} if too few nodes respond
 */
export async function queryChainView({
  nodes,
  key,
}: Pick<RelayerContext, 'nodes' | 'key'>): Promise<ChainView> {
  const [head, minedNonce] = await Promise.all([
    queryHeadNumber(nodes),
    queryHeight(nodes, readMinedNonce(key)),
  ])
  return { head, minedNonce }
}

/** Returns the query for the number of an account's mined transactions. Pending transactions do not count. */
export function readMinedNonce({ relayer }: Pick<RelayerKey, 'relayer'>) {
  const read = ({ client }: ChainNode) =>
    client.getTransactionCount({ address: relayer, blockTag: 'latest' as const })
  return { subject: 'the nonce of our account', read }
}
