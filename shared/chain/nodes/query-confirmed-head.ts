import type { NodeName } from '../../domain/node-config.ts'
import type { ChainNodes } from './chain-nodes.ts'
import type { BlockRef } from './node-report.ts'
import { queryBlock } from './query-block.ts'
import { type ChainHeads, queryResponsiveHeads, requireHeight } from './query-head.ts'
import { type Agreed, requireAgreed } from './quorum.ts'

/** The nodes' heads, and the highest block at confirmation depth below the quorum's head. */
export type ConfirmedHead = ChainHeads & {
  /** Number of the block; negative while the chain is shorter than its confirmation depth. */
  readonly number: number
  /** The block that a quorum shows; `null` while the number is negative. */
  readonly block: Agreed<BlockRef> | null
  /** Nodes that show another block at that number. */
  readonly forked: readonly NodeName[]
}

/**
 * Reads the highest block at confirmation depth, with its hash and time, as a quorum of operators shows it. A payment counts
 * once its block is at most this high and a quorum shows its row (`indexer/corroboration`).
 *
 * If two nodes agree and a third is on another branch, a quorum of two decides, and the third node is `forked`. Once a
 * quorum has responded, waits at most 1 s for a hanging node, without which the head can only be lower.
 *
 * @throws {AppError} `rpc_unavailable` if too few nodes responded, or no quorum shows the same block
 */
export async function queryConfirmedHead(
  chain: ChainNodes,
  deployment: { readonly confirmations: number; readonly blockTimeMs: number },
): Promise<ConfirmedHead> {
  const heads = await queryResponsiveHeads(chain, deployment)
  const height = requireHeight(chain, { ...heads, responding: heads.heads.length })
  const number = height - deployment.confirmations + 1
  if (number < 0) return { ...heads, number, block: null, forked: [] }
  const verdict = await queryBlock(chain, number)
  const block = requireAgreed(verdict, `block ${number}`)
  const forked = verdict.outcome === 'agreed' ? verdict.denied.map(({ node }) => node) : []
  return { ...heads, number, block, forked }
}
