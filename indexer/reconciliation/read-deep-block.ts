import { AppError } from '../../shared/domain/errors.ts'
import type { ChainNode } from '../transport/node-heads.ts'

/** The highest block at confirmation depth, and who says so. */
export type DeepBlock = {
  /** Negative while the chain is younger than that. */
  readonly number: number
  /** The nodes that can be believed; never empty. */
  readonly nodes: readonly ChainNode[]
  /** Those left out because they have stopped. */
  readonly stopped: readonly ChainNode[]
}

/**
 * A node whose last block is older, and that many blocks behind, has stopped: it would hold back everybody for ever.
 * Never by its number alone, or one node that makes up a head would be the only one left.
 */
const STOPPED_MS = 600_000

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
  const stopped = heads.filter((head) => hasStopped(head, { heads, ...chain }))
  const followed = heads.filter((head) => !stopped.includes(head))
  const number = Math.min(...followed.map((head) => head.number)) - chain.confirmations + 1
  const hashes =
    number < 0
      ? []
      : await Promise.all(followed.map(async ({ node }) => (await readBlock(node, number)).hash))
  if (new Set(hashes).size > 1) {
    throw new AppError('rpc_unavailable', `nodes disagree on block ${number}: ${hashes.join(', ')}`)
  }
  return { number, nodes: followed.map(({ node }) => node), stopped: stopped.map(({ node }) => node) }
}

type Head = { readonly node: ChainNode; readonly number: number; readonly timestampMs: number }

/** Beside another that goes on: a chain that stands still leaves nobody out. */
function hasStopped(
  head: Head,
  { heads, blockTimeMs, now }: { heads: readonly Head[]; blockTimeMs: number; now: Date },
): boolean {
  const isOld = ({ timestampMs }: Head) => now.getTime() - timestampMs > STOPPED_MS
  const isAhead = (other: Head) => other.number - head.number > STOPPED_MS / blockTimeMs
  return isOld(head) && heads.some((other) => !isOld(other) && isAhead(other))
}

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
