import type { ChainClient } from '../../shared/chain/client.ts'
import { AppError } from '../../shared/domain/errors.ts'

/**
 * Answers the highest block at confirmation depth that every node which can be believed has, as the same block.
 *
 * The lowest of their heads counts. A node of another chain, or one that cannot show the block it calls its head, is
 * not believed; two on different forks stop us, and one that lags delays us.
 *
 * @returns a negative number while the chain is younger than that
 * @throws {AppError} `rpc_unavailable` if no node can be believed, or two disagree
 */
export async function readDeepBlock(
  nodes: readonly ChainClient[],
  { confirmations }: { readonly confirmations: number },
): Promise<number> {
  const answers = await Promise.allSettled(nodes.map(readHead))
  const heads = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  if (heads.length === 0) throw new AppError('rpc_unavailable', 'no node answered with a head it has')
  const deep = Math.min(...heads.map(({ number }) => number)) - confirmations + 1
  if (deep < 0) return deep
  const hashes = await Promise.all(heads.map(({ node }) => hashOf(node, deep)))
  if (new Set(hashes).size > 1) {
    throw new AppError('rpc_unavailable', `nodes disagree on block ${deep}: ${hashes.join(', ')}`)
  }
  return deep
}

/** @throws {Error} for whatever reason the node is not believed */
async function readHead(node: ChainClient): Promise<{ readonly node: ChainClient; readonly number: number }> {
  const number = Number(await node.getBlockNumber({ cacheTime: 0 }))
  await hashOf(node, number)
  return { node, number }
}

async function hashOf(node: ChainClient, number: number): Promise<string> {
  const { hash } = await node.getBlock({ blockNumber: BigInt(number) })
  return hash
}
