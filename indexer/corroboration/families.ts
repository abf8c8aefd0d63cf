import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import type { AddressFamily } from '../../shared/domain/address.ts'
import { type ChainSource, createLogSource } from './log-source.ts'
import { createSolidSource, MAX_SOLID_BLOCKS } from './tron/solid-source.ts'

/** How the logs and receipts of a family's chains are read from a node. */
export type FamilySources = {
  /** By the API that shows what is final. */
  readonly scan: (node: ChainNode) => ChainSource
  /** By each API of the node; the feed reads the last one. */
  readonly sourcesOf: (
    node: ChainNode,
  ) => readonly { readonly api: string | null; readonly source: ChainSource }[]
  /** APIs of which each must be among the votes. */
  readonly apis: readonly string[]
  /** Maximum blocks read in one turn. */
  readonly maxBlocks: number
  /** Whether a receipt can be read as soon as a block has it; else only when it is final. */
  readonly isEarly: boolean
  /** Whether the nodes can be read up to an end of their own, below their head. */
  readonly hasOwnEnd: boolean
}

/** How the nodes of each family are read. */
export const SOURCES: Readonly<Record<AddressFamily, FamilySources>> = {
  evm: {
    scan: createLogSource,
    sourcesOf: (node) => [{ api: null, source: createLogSource(node) }],
    ...{ apis: [], maxBlocks: Number.POSITIVE_INFINITY, isEarly: true, hasOwnEnd: false },
  },
  tron: {
    scan: createSolidSource,
    sourcesOf: (node) => [
      { api: 'walletsolidity', source: createSolidSource(node) },
      { api: 'jsonrpc', source: createLogSource(node) },
    ],
    ...{ apis: ['walletsolidity', 'jsonrpc'], maxBlocks: MAX_SOLID_BLOCKS, isEarly: false, hasOwnEnd: true },
  },
}
