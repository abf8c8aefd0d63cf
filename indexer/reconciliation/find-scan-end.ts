import { AppError } from '../../shared/domain/errors.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { SCANS } from './families.ts'
import { hasStopped } from './has-stopped.ts'
import type { DeepBlock } from './read-deep-block.ts'

/**
 * Finds the block up to which a range can be scanned: the deep one, or, where nodes have a second API, the lowest end
 * of that at the nodes that can be believed. It is often a block behind the other, and above it says that nothing is there.
 * A node whose second API has stopped, or does not answer, holds back nobody.
 *
 * @throws {AppError} `rpc_unavailable` if no node says where its end is
 */
export async function findScanEnd(
  { number, nodes }: Pick<DeepBlock, 'number' | 'nodes'>,
  chain: { readonly network: Network; readonly blockTimeMs: number; readonly now: Date },
): Promise<number> {
  const { readEnd } = SCANS[REGISTRY[chain.network].family]
  if (readEnd === null) return number
  const answers = await Promise.allSettled(nodes.map(readEnd))
  const ends = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  if (ends.length === 0) throw new AppError('rpc_unavailable', 'no node says which of its blocks are solid')
  const followed = ends.filter((end) => !hasStopped(end, { ends, ...chain }))
  return Math.min(number, ...followed.map((end) => end.number))
}
