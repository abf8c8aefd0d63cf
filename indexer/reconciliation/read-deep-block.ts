import { isForeign } from '../../shared/chain/node-errors.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import { hasStopped, type NodeEnd } from './has-stopped.ts'

/** The highest block at confirmation depth, and who says so. */
export type DeepBlock = {
  /** Negative while the chain is younger than that. */
  readonly number: number
  /** The nodes that can be believed; never empty. */
  readonly nodes: readonly ChainNode[]
  /** Those left out because they have stopped. */
  readonly stopped: readonly ChainNode[]
  /** Those of the chain that do not answer, or with a head that they do not have: nobody knows what they would show. */
  readonly silent: readonly ChainNode[]
}

/**
 * Answers the highest block at confirmation depth that every node which can be believed has, as the same block.
 *
 * The lowest of their heads counts. A node of another chain, or one that cannot show the block it calls its head, is
 * not believed; two on different forks stop us, and one that lags delays us, until it has lagged for ten minutes.
 *
 * @throws {AppError} `rpc_unavailable` if no node can be believed, or two disagree
 */
export async function readDeepBlock(
  nodes: readonly ChainNode[],
  chain: { readonly confirmations: number; readonly blockTimeMs: number; readonly now: Date },
): Promise<DeepBlock> {
  const answers = await Promise.allSettled(nodes.map(readHead))
  const heads = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  if (heads.length === 0) throw new AppError('rpc_unavailable', 'no node answered with a head it has')
  const silent = nodes.filter((_, at) => isSilent(answers[at]))
  const stopped = heads.filter((head) => hasStopped(head, { ends: heads, ...chain }))
  const followed = heads.filter((head) => !stopped.includes(head))
  const number = Math.min(...followed.map((head) => head.number)) - chain.confirmations + 1
  const hashes =
    number < 0
      ? []
      : await Promise.all(followed.map(async ({ node }) => (await readBlock(node, number)).hash))
  if (new Set(hashes).size > 1) {
    throw new AppError('rpc_unavailable', `nodes disagree on block ${number}: ${hashes.join(', ')}`)
  }
  return {
    ...{ number, silent },
    nodes: followed.map(({ node }) => node),
    stopped: stopped.map(({ node }) => node),
  }
}

/** One that serves another chain has answered, and will never show anything of this one. */
function isSilent(answer: PromiseSettledResult<Head> | undefined): boolean {
  return answer?.status === 'rejected' && !isForeign(answer.reason)
}

type Head = NodeEnd & { readonly node: ChainNode }

/** @throws {Error} for whatever reason the node is not believed */
async function readHead(node: ChainNode): Promise<Head> {
  const { client } = node
  const number = Number(await client.getBlockNumber({ cacheTime: 0 }))
  const { timestamp } = await readBlock(node, number)
  return { node, number, timestampMs: Number(timestamp) * 1000 }
}

function readBlock({ client }: ChainNode, number: number) {
  return client.getBlock({ blockNumber: BigInt(number) })
}
