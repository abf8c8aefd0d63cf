import { Counter, Gauge } from 'prom-client'
import type { Metrics } from './metrics.ts'

type PacedNode = {
  readonly chainId: number
  readonly name: string
  readonly budget: { readonly perDay: number | null }
  readonly pacer: { readonly getUsage: () => Usage }
}

type Usage = {
  readonly sent: Readonly<Record<string, number>>
  readonly refused: Readonly<Record<string, number>>
  readonly throttled: number
  readonly pausedMs: number
  readonly sentInDay: number
}

type Labels = Readonly<Record<string, string | number>>
type Sample = readonly [labels: Labels, value: number]

/**
 * Registers metrics for the requests that this process sends to its nodes, and for the remaining requests of the daily
 * limits.
 */
export function registerNodeBudgets(registry: Metrics, nodes: readonly PacedNode[]): void {
  const read = (toSamples: (node: PacedNode, usage: Usage) => readonly Sample[]) => () =>
    nodes.flatMap((node) =>
      toSamples(node, node.pacer.getUsage()).map(
        ([labels, value]): Sample => [{ chain_id: node.chainId, node: node.name, ...labels }, value],
      ),
    )
  counter(registry, 'node_requests_total', {
    help: 'Requests sent to a node, by priority, including requests of this daemon’s Ponders if the node has a limit',
    labelNames: [...NODE_LABELS, 'priority'],
    read: read((_, { sent }) => byPriority(sent)),
  })
  counter(registry, 'node_requests_refused_total', {
    help: 'Requests not sent, by priority, because of the node’s limits, a pause that the node demanded, or a full queue',
    labelNames: [...NODE_LABELS, 'priority'],
    read: read((_, { refused }) => byPriority(refused)),
  })
  counter(registry, 'node_throttled_total', {
    help: 'Responses in which the node demanded fewer requests',
    labelNames: NODE_LABELS,
    read: read((_, { throttled }) => [[{}, throttled]]),
  })
  gauge(registry, 'node_paused_seconds', {
    help: 'Remaining time of the pause that the node has demanded; 0 without a pause',
    labelNames: NODE_LABELS,
    read: read((_, { pausedMs }) => [[{}, pausedMs / 1_000]]),
  })
  gauge(registry, 'node_day_requests_limit', {
    help: 'Requests that this process may send to a node in 24 hours',
    labelNames: NODE_LABELS,
    read: read(({ budget: { perDay } }) => (perDay === null ? [] : [[{}, perDay]])),
  })
  gauge(registry, 'node_day_requests_left', {
    help: 'The limit of requests in 24 hours, less those that this process has sent in the last 24 hours',
    labelNames: NODE_LABELS,
    read: read(({ budget: { perDay } }, { sentInDay }) =>
      perDay === null ? [] : [[{}, perDay - sentInDay]],
    ),
  })
}

const NODE_LABELS = ['chain_id', 'node']

function byPriority(counts: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(counts).map(([priority, count]) => [{ priority }, count])
}

type Description = {
  readonly help: string
  readonly labelNames: readonly string[]
  readonly read: () => readonly Sample[]
}

function counter(registry: Metrics, name: string, { help, labelNames, read }: Description): void {
  const metric = new Counter({
    ...{ name, help, labelNames: [...labelNames], registers: [] },
    collect() {
      this.reset()
      for (const [labels, value] of read()) this.inc(labels, value)
    },
  })
  registry.registerMetric(metric)
}

function gauge(registry: Metrics, name: string, { help, labelNames, read }: Description): void {
  const metric = new Gauge({
    ...{ name, help, labelNames: [...labelNames], registers: [] },
    collect() {
      this.reset()
      for (const [labels, value] of read()) this.set(labels, value)
    },
  })
  registry.registerMetric(metric)
}
