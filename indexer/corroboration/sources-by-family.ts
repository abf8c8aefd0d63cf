import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainFamilyName } from '../../shared/domain/address.ts'
import { type ChainSource, createLogSource } from './log-source.ts'
import { createSolidifiedSource, MAX_SOLIDIFIED_BLOCKS } from './tron/solidified-source.ts'

/** Readers of the logs and receipts of a family's chains. */
export type FamilySources = {
  /** Creates the source for range scans, which uses the API that shows final blocks. */
  readonly scan: (node: ChainNode) => ChainSource
  /** One source per API of the node. The feed uses the API of the last source. */
  readonly sourcesOf: (
    node: ChainNode,
  ) => readonly { readonly api: string | null; readonly source: ChainSource }[]
  /** APIs that must each have at least one vote in a quorum. */
  readonly apis: readonly string[]
  /** Maximum blocks of one range scan. */
  readonly maxBlocks: number
  /** Whether a receipt can be read as soon as a block contains the transaction, not only when the block is final. */
  readonly isEarly: boolean
  /** Whether a node's readable range ends at a block below its head, such as its last solidified block. */
  readonly hasOwnEnd: boolean
}

export const SOURCES_BY_FAMILY: Readonly<Record<ChainFamilyName, FamilySources>> = {
  evm: {
    scan: createLogSource,
    sourcesOf: (node) => [{ api: null, source: createLogSource(node) }],
    ...{ apis: [], maxBlocks: Number.POSITIVE_INFINITY, isEarly: true, hasOwnEnd: false },
  },
  tron: {
    scan: createSolidifiedSource,
    sourcesOf: (node) => [
      { api: 'walletsolidity', source: createSolidifiedSource(node) },
      { api: 'jsonrpc', source: createLogSource(node) },
    ],
    ...{
      apis: ['walletsolidity', 'jsonrpc'],
      maxBlocks: MAX_SOLIDIFIED_BLOCKS,
      isEarly: false,
      hasOwnEnd: true,
    },
  },
}
