import type { ChainNode } from '../../../shared/chain/nodes/chain-nodes.ts'
import { readSolidifiedHead } from '../../../shared/chain/tron/read-tron.ts'
import { createTronNode } from '../../../shared/chain/tron/tron-node.ts'
import type { SourceEnd } from '../log-source.ts'

const REQUEST_TIMEOUT_MS = 5_000

/**
 * Reads the newest solidified block of a TRON node. For later blocks, `/walletsolidity` returns an empty list, as for a
 * block without transactions.
 */
export async function readSolidifiedNodeHead({
  url,
  client,
  pacing,
}: Pick<ChainNode, 'url' | 'client' | 'pacing'>): Promise<SourceEnd> {
  const node = createTronNode({ url, chainId: client.chain.id, timeoutMs: REQUEST_TIMEOUT_MS, pacing })
  const { number, timestampMs } = await readSolidifiedHead(node)
  return { number, timestampMs }
}
