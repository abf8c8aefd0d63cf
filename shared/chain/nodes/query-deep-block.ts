import { AppError } from '../../domain/errors.ts'
import type { NodeName } from '../../domain/node-config.ts'
import { isForeign } from '../node-errors.ts'
import type { ChainNode, ChainNodes } from './chain-nodes.ts'
import { findQuorumHeight, findStopped, type HeadReport } from './node-health.ts'
import type { BlockRef, Responses } from './node-report.ts'
import { queryNodes, queryQuorum, queryResponsive } from './query-nodes.ts'
import { type Agreed, requireAgreed, type Verdict } from './quorum.ts'

/** The last blocks of a chain's nodes, each read from that very node. */
export type ChainHeads = {
  /** Nodes that responded and serve the chain. */
  readonly heads: readonly HeadReport[]
  /** The highest block that a quorum of operators has reached; `null` if too few responded. */
  readonly height: number | null
  /** Nodes that have stopped; they still count if they agree. */
  readonly stopped: readonly NodeName[]
  /** Nodes that did not respond, as far as they were waited for. */
  readonly silent: readonly NodeName[]
  /** Nodes that serve another chain. */
  readonly wrongChain: readonly NodeName[]
}

/** Reads the last block of every node of a chain, and waits for all of them: whether a chain is quiet, each must say. */
export async function queryHeads(
  chain: ChainNodes,
  { blockTimeMs }: { readonly blockTimeMs: number },
): Promise<ChainHeads> {
  return judgeHeads(chain, { blockTimeMs, responses: await queryNodes(chain, readHead) })
}

function judgeHeads(
  chain: ChainNodes,
  { blockTimeMs, responses }: { readonly blockTimeMs: number; readonly responses: Responses<Head> },
): ChainHeads {
  const { reports, silent } = responses
  const heads = reports.map(({ node, operator, value }) => ({ node, operator, ...value }))
  const trusted = heads.find(({ node }) => node === chain.getTrusted())
  return {
    heads,
    height: findQuorumHeight(heads, chain.quorum) ?? trusted?.number ?? null,
    stopped: findStopped(heads, { quorum: chain.quorum, blockTimeMs }),
    silent: silent.filter(({ error }) => !isForeign(error)).map(({ node }) => node),
    wrongChain: silent.filter(({ error }) => isForeign(error)).map(({ node }) => node),
  }
}

/** The highest block at confirmation depth under the quorum's head. */
export type DeepBlock = ChainHeads & {
  /** Negative while the chain is younger than its confirmation depth. */
  readonly number: number
  /** The block, as a quorum shows it; `null` while the number is negative. */
  readonly block: Agreed<BlockRef> | null
  /** Nodes that show another block at that number. */
  readonly forked: readonly NodeName[]
}

/**
 * Reads the highest block at confirmation depth, with its hash and time, as a quorum of operators shows it.
 *
 * With two nodes on different branches nothing is agreed; with three, two decide, and the third is `forked`. A node that
 * hangs is not waited for once a quorum has responded: the others' head is at most older.
 *
 * @throws {AppError} `rpc_unavailable` if too few nodes responded, or no quorum shows the same block
 */
export async function queryDeepBlock(
  chain: ChainNodes,
  deployment: { readonly confirmations: number; readonly blockTimeMs: number },
): Promise<DeepBlock> {
  const responses = await queryResponsive(chain, readHead)
  const heads = judgeHeads(chain, { blockTimeMs: deployment.blockTimeMs, responses })
  const { height } = heads
  if (height === null)
    throw new AppError(
      'rpc_unavailable',
      `${heads.heads.length} nodes responded with a head; a quorum is ${chain.quorum}`,
    )
  const number = height - deployment.confirmations + 1
  if (number < 0) return { ...heads, number, block: null, forked: [] }
  const verdict = await queryBlock(chain, number)
  const block = requireAgreed(verdict, `block ${number}`)
  const forked = verdict.outcome === 'agreed' ? verdict.denied.map(({ node }) => node) : []
  return { ...heads, number, block, forked }
}

/** Asks a quorum which block stands at a number. A node that does not have it yet is silent. */
export function queryBlock(chain: ChainNodes, number: number): Promise<Verdict<BlockRef>> {
  return queryQuorum(chain, {
    read: ({ client }) => readBlock(client, number),
    toText: ({ hash, timestamp }) => `${hash.toLowerCase()}/${timestamp}`,
  })
}

type Head = Pick<HeadReport, 'number' | 'timestampMs'>

async function readHead({ client }: ChainNode): Promise<Head> {
  const { number, timestamp } = await client.getBlock({ blockTag: 'latest' })
  return { number: Number(number), timestampMs: Number(timestamp) * 1000 }
}

async function readBlock(client: ChainNode['client'], number: number): Promise<BlockRef> {
  const { hash, timestamp } = await client.getBlock({ blockNumber: BigInt(number) })
  return { number, hash, timestamp: Number(timestamp) }
}
