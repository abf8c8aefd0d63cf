import { Counter, Gauge } from 'prom-client'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'

/** Metrics of the feeds, by chain id. */
export type FeedMetrics = {
  readonly setHead: (chainId: number, head: number) => void
  readonly setOwner: (chainId: number, isOwner: boolean) => void
  readonly countMissing: (chainId: number, rows: number) => void
  /** Counts a credited transfer that was orphaned deeper than the confirmation depth. This is an alert. */
  readonly countLostCredit: (chainId: number) => void
  /** Whether the feed is above every block of its chain. */
  readonly setAboveChain: (chainId: number, isAbove: boolean) => void
  /** Operators with at least one node that responded to the last read of every node's head. */
  readonly setOperatorsResponding: (deployment: Place, operators: number) => void
}

type Place = { readonly network: Network; readonly environment: Environment }

/**
 * Registers the feeds' metrics. Counters start at zero for these chains, otherwise an alert rule would miss the first
 * increase.
 */
export function createFeedMetrics(registry: Metrics, chainIds: readonly number[]): FeedMetrics {
  const shape = { labelNames: ['chain_id'], registers: [registry] }
  const head = new Gauge({ ...shape, name: 'feed_head_block', help: 'Highest block applied to the ledger' })
  const owner = new Gauge({
    ...shape,
    name: 'feed_is_owner',
    help: '1 while this daemon runs the Ponder of the chain',
  })
  const missing = new Counter({
    ...shape,
    name: 'feed_missing_rows_total',
    help: 'Rows that Ponder no longer shows',
  })
  const lost = new Counter({
    ...shape,
    name: 'feed_orphaned_credits_total',
    help: 'Credited transfers removed by a reorganization deeper than the confirmation depth',
  })
  const above = new Gauge({
    ...shape,
    name: 'feed_is_ahead_of_chain',
    help: '1 while the feed is ahead of every block of its nodes and must be repaired',
  })
  const operators = new Gauge({
    name: 'network_operators_responding',
    help: 'Operators with at least one node that responded to the last query of every head',
    labelNames: ['network', 'environment'],
    registers: [registry],
  })
  for (const chainId of chainIds) for (const counter of [missing, lost]) counter.inc({ chain_id: chainId }, 0)
  return {
    setHead: (chainId, number) => head.set({ chain_id: chainId }, number),
    setOwner: (chainId, isOwner) => owner.set({ chain_id: chainId }, isOwner ? 1 : 0),
    countMissing: (chainId, rows) => missing.inc({ chain_id: chainId }, rows),
    countLostCredit: (chainId) => lost.inc({ chain_id: chainId }),
    setAboveChain: (chainId, isAbove) => above.set({ chain_id: chainId }, isAbove ? 1 : 0),
    setOperatorsResponding: ({ network, environment }, count) =>
      operators.set({ network, environment }, count),
  }
}
