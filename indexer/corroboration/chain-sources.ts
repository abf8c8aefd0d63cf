import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Voter } from '../../shared/chain/nodes/node-report.ts'
import type { VoterGroup } from '../../shared/chain/nodes/query-nodes.ts'
import type { ChainFamilyName } from '../../shared/domain/address.ts'
import type { ChainSource } from './log-source.ts'
import { type FamilySources, SOURCES_BY_FAMILY } from './sources-by-family.ts'

export type SourceVoter = Voter & { readonly source: ChainSource }

/** Readers of one chain's logs and receipts. */
export type ChainSources = Omit<FamilySources, 'scan' | 'sourcesOf'> & {
  /** One voter per node, which uses the API that shows final blocks. */
  readonly scanners: VoterGroup<SourceVoter>
  /** One voter per API of each node, ordered so that two votes can decide (see `takeTurns`). */
  readonly voters: VoterGroup<SourceVoter>
}

/** Creates the readers of a chain's logs and receipts. Sends no request yet. */
export function createChainSources(chain: ChainNodes, family: ChainFamilyName): ChainSources {
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

/** Orders the voters so that the first two use different nodes, and different APIs if there are two. */
function takeTurns(votesOf: readonly (readonly SourceVoter[])[]): readonly SourceVoter[] {
  const apis = votesOf[0]?.length ?? 0
  return Array.from({ length: apis }, (_, round) =>
    votesOf.flatMap((votes, at) => votes[(at + round) % apis] ?? []),
  ).flat()
}
