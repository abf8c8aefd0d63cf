import { AppError } from '../../domain/errors.ts'
import type { NodeName } from '../../domain/node-config.ts'
import type { ChainNode, ChainNodes } from './chain-nodes.ts'
import { isWrongChain } from './node-errors.ts'
import { findStalled, type HeadReport } from './node-health.ts'
import type { BlockRef, Responses } from './node-report.ts'
import { queryBlock } from './query-block.ts'
import { findHeight, queryHeight } from './query-height.ts'
import { queryNodes, queryResponsive } from './query-nodes.ts'
import { type Agreed, requireAgreed } from './quorum.ts'

/** Maximum wait of `queryHead` for a node's head. It is short, because a client of the API waits for the result. */
const HEAD_TIMEOUT_MS = 2_000

/**
 * Returns the number of the highest block that a quorum of operators has reached.
 *
 * @throws {NoQuorumError} if too few nodes responded
 */
export function queryHeadNumber(chain: ChainNodes): Promise<number> {
  return queryHeight(chain, { subject: 'the head', read: readNumber })
}

/**
 * Returns the highest block that a quorum of operators has reached, as a quorum shows it. Values that several nodes
 * return for the block's number can be compared. A node on another branch may return a value of another block, so a
 * quorum must agree on the value.
 *
 * @throws {AppError} `rpc_unavailable` if too few nodes responded, or no quorum shows the same block
 */
export async function queryHead(chain: ChainNodes): Promise<Agreed<BlockRef>> {
  const responses = await queryResponsive(chain, readNumberInTime)
  const height = requireHeight(chain, {
    height: findHeight(chain, responses),
    responding: responses.reports.length,
  })
  return requireAgreed(await queryBlock(chain, height), `block ${height}`)
}

/** The last block of each node of a chain, read from that node. */
export type ChainHeads = {
  /** Nodes that responded and serve the right chain. */
  readonly heads: readonly HeadReport[]
  /** The highest block that a quorum of operators has reached; `null` if too few responded. */
  readonly height: number | null
  /** Stalled nodes. Their reports still count if they agree with others. */
  readonly stopped: readonly NodeName[]
  /** Nodes whose query failed. A node that has not responded when the query stops waiting is in none of the lists. */
  readonly silent: readonly NodeName[]
  /** Nodes of the wrong chain. */
  readonly wrongChain: readonly NodeName[]
}

type HeadTerms = { readonly blockTimeMs: number }

/**
 * Reads the last block of every node of a chain. Waits for all nodes, because a chain counts as stalled only if every
 * node's head is stalled.
 */
export async function queryHeads(chain: ChainNodes, terms: HeadTerms): Promise<ChainHeads> {
  return judgeHeads(chain, { ...terms, responses: await queryNodes(chain, readHead) })
}

/** Reads the last blocks like `queryHeads`, but waits at most 1 s for a node once a quorum has responded. */
export async function queryResponsiveHeads(chain: ChainNodes, terms: HeadTerms): Promise<ChainHeads> {
  return judgeHeads(chain, { ...terms, responses: await queryResponsive(chain, readHead) })
}

function judgeHeads(
  chain: ChainNodes,
  { blockTimeMs, responses }: HeadTerms & { readonly responses: Responses<Head> },
): ChainHeads {
  const { reports, silent } = responses
  const heads = reports.map(({ node, operator, value }) => ({ node, operator, ...value }))
  const numbers = reports.map((report) => ({ ...report, value: report.value.number }))
  return {
    heads,
    height: findHeight(chain, { reports: numbers, silent }),
    stopped: findStalled(heads, { quorum: chain.quorum, blockTimeMs }),
    silent: silent.filter(({ error }) => !isWrongChain(error)).map(({ node }) => node),
    wrongChain: silent.filter(({ error }) => isWrongChain(error)).map(({ node }) => node),
  }
}

/**
 * Returns the height.
 *
 * @throws {AppError} `rpc_unavailable` if the height is `null`
 */
export function requireHeight(
  { quorum }: Pick<ChainNodes, 'quorum'>,
  { height, responding }: { readonly height: number | null; readonly responding: number },
): number {
  if (height !== null) return height
  throw new AppError(
    'rpc_unavailable',
    `too few operators returned a head for a quorum of ${quorum}; nodes that returned a head: ${responding}`,
  )
}

type Head = Pick<HeadReport, 'number' | 'timestampMs'>

async function readHead({ client }: ChainNode): Promise<Head> {
  const { number, timestamp } = await client.getBlock({ blockTag: 'latest' })
  return { number: Number(number), timestampMs: Number(timestamp) * 1000 }
}

async function readNumber({ client }: ChainNode): Promise<number> {
  return Number(await client.getBlockNumber({ cacheTime: 0 }))
}

async function readNumberInTime(node: ChainNode): Promise<number> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${node.name} reported no head in time`)), HEAD_TIMEOUT_MS)
  })
  try {
    return await Promise.race([readNumber(node), late])
  } finally {
    clearTimeout(timer)
  }
}
