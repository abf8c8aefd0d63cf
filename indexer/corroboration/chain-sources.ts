import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Voter } from '../../shared/chain/nodes/node-report.ts'
import type { VoterGroup } from '../../shared/chain/nodes/query-nodes.ts'
import type { AddressFamily } from '../../shared/domain/address.ts'
import { type FamilySources, SOURCES } from './families.ts'
import type { ChainSource } from './log-source.ts'

/** A node with one of its APIs, as a voter. */
export type SourceVoter = Voter & { readonly source: ChainSource }

/** How the logs and receipts of one chain are read from its nodes. */
export type ChainSources = Omit<FamilySources, 'scan' | 'sourcesOf'> & {
  /** One for each node: by the API that shows what is final. */
  readonly scanners: VoterGroup<SourceVoter>
  /** One for each API of each node, the APIs in turn. */
  readonly voters: VoterGroup<SourceVoter>
}

/** Creates what reads logs and receipts of a chain; it makes no request yet. */
export function createChainSources(chain: ChainNodes, family: AddressFamily): ChainSources {
  const { scan, sourcesOf, ...rest } = SOURCES[family]
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
