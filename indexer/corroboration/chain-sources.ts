import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Voter } from '../../shared/chain/nodes/node-report.ts'
import type { VoterGroup } from '../../shared/chain/nodes/query-nodes.ts'
import type { AddressFamily } from '../../shared/domain/address.ts'
import { type ChainSource, createLogSource } from './log-source.ts'
import { createSolidSource, MAX_SOLID_BLOCKS } from './tron/solid-source.ts'

/** A node with one of its APIs, as a voter. */
export type SourceVoter = Voter & { readonly source: ChainSource }

/** How the logs and receipts of one chain are read from its nodes. */
export type ChainSources = {
  /** One for each node: by the API that shows what is final. */
  readonly scanners: VoterGroup<SourceVoter>
  /** One for each API of each node, the APIs in turn. */
  readonly voters: VoterGroup<SourceVoter>
  /** APIs of which each must be among the votes. */
  readonly apis: readonly string[]
  /** Maximum blocks read in one turn. */
  readonly maxBlocks: number
  /** Whether a receipt can be read as soon as a block has it; else only when it is final. */
  readonly isEarly: boolean
  /** Whether the nodes can be read up to an end of their own, below their head. */
  readonly hasOwnEnd: boolean
}

type ChainSourcesShape = Omit<ChainSources, 'scanners' | 'voters'> & {
  readonly scan: (node: ChainNode) => ChainSource
  /** Votes of a node by API; the feed reads the last one. */
  readonly sourcesOf: (
    node: ChainNode,
  ) => readonly { readonly api: string | null; readonly source: ChainSource }[]
}

/** How the nodes of each family are read. */
const SOURCES_BY_FAMILY: Readonly<Record<AddressFamily, ChainSourcesShape>> = {
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

/** Creates what reads logs and receipts of a chain; it makes no request yet. */
export function createChainSources(chain: ChainNodes, family: AddressFamily): ChainSources {
  const { scan, sourcesOf, ...rest } = SOURCES_BY_FAMILY[family]
  const voter = (node: ChainNode, source: ChainSource, api: string | null): SourceVoter => {
    const { name, operator } = node
    return { name, operator, api, source }
  }
  const votesOf = chain.nodes.map((node) =>
    sourcesOf(node).map(({ api, source }) => voter(node, source, api)),
  )
  return {
    ...rest,
    scanners: { ...chain, nodes: chain.nodes.map((node) => voter(node, scan(node), null)) },
    voters: { ...chain, nodes: takeTurns(votesOf) },
  }
}

/** Orders the votes so that neighbours are of different nodes and different APIs: the first two can decide. */
function takeTurns(votesOf: readonly (readonly SourceVoter[])[]): readonly SourceVoter[] {
  const apis = votesOf[0]?.length ?? 0
  return Array.from({ length: apis }, (_, round) =>
    votesOf.flatMap((votes, at) => votes[(at + round) % apis] ?? []),
  ).flat()
}
