import type { Environment, Network } from '../../shared/domain/networks.ts'
import { type Metrics, registerMetrics } from '../../shared/runtime/metrics.ts'

/** Setters of the feeds' metrics. */
export type FeedMetrics = ReturnType<typeof createFeedMetrics>

type Place = { readonly network: Network; readonly environment: Environment }

/**
 * Registers the feeds' metrics. Counters start at zero for these chains; otherwise an alert rule would miss the first
 * increase.
 */
export function createFeedMetrics(registry: Metrics, chainIds: readonly number[]) {
  const {
    feed_head_block: head,
    feed_is_owner: owner,
    feed_is_ahead_of_chain: above,
    ...counters
  } = registerMetrics(registry, ['chain_id'], {
    feed_head_block: 'Highest block applied to the ledger',
    feed_is_owner: '1 while this daemon runs the Ponder of the chain',
    feed_is_ahead_of_chain: '1 while the feed is ahead of every block of its nodes and must be repaired',
    feed_missing_rows_total: 'Rows that Ponder no longer shows',
    feed_orphaned_credits_total:
      'Credited transfers removed by a reorganization deeper than the confirmation depth',
  })
  const { network_operators_responding: operators } = registerMetrics(registry, ['network', 'environment'], {
    network_operators_responding:
      'Operators with at least one node that responded to the last query of every head',
  })
  for (const chainId of chainIds)
    for (const counter of Object.values(counters)) counter.inc({ chain_id: chainId }, 0)
  return {
    setHead: (chainId: number, number: number) => head.set({ chain_id: chainId }, number),
    setOwner: (chainId: number, isOwner: boolean) => owner.set({ chain_id: chainId }, isOwner ? 1 : 0),
    countMissing: (chainId: number, rows: number) =>
      counters.feed_missing_rows_total.inc({ chain_id: chainId }, rows),
    /** Counts a credited transfer that was orphaned. An increase raises an alert. */
    countLostCredit: (chainId: number) => counters.feed_orphaned_credits_total.inc({ chain_id: chainId }),
    setAboveChain: (chainId: number, isAbove: boolean) => above.set({ chain_id: chainId }, isAbove ? 1 : 0),
    setOperatorsResponding: ({ network, environment }: Place, count: number) =>
      operators.set({ network, environment }, count),
  }
}
