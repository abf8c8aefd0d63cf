import { getDomain } from 'tldts'
import type { DeploymentFacts } from './networks.ts'

/** Names a node in logs, metrics and commands: its host without keys, and a number from the second node of a host on. */
export type NodeName = string

/** A node as configuration names it: a URL, or a URL with further facts. */
export type NodeEntry =
  | string
  | {
      /** With its headers, as `writeNode` writes them. */
      readonly url: string
      readonly operator?: string
      readonly requestsPerSecond?: number
      readonly requestsPerDay?: number
    }

/** A node of a deployment, as this process uses it. */
export type NodeConfig = {
  readonly name: NodeName
  /** With its headers, as `writeNode` writes them; it may carry a key. */
  readonly url: string
  /** Who runs the node. Nodes of one operator have one vote (decisions 9.1). */
  readonly operator: string
  /** Quota of the node; `null` if it has none. */
  readonly requestsPerSecond: number | null
  /** Quota of the node; `null` if it has none. */
  readonly requestsPerDay: number | null
}

/** Operators that must agree unless configuration says otherwise (decisions 9.1). */
export const DEFAULT_QUORUM = 2

/** Highest quorum that configuration may set: each vote costs a request for each fact. */
export const MAX_QUORUM = 5

/** Completes the nodes of a deployment, in their order: names, operators and quotas. */
export function configureNodes(entries: readonly NodeEntry[]): readonly NodeConfig[] {
  const nodes = entries.map((entry) => (typeof entry === 'string' ? { url: entry } : entry))
  const hosts = nodes.map(({ url }) => hostOf(url))
  return nodes.map(({ url, operator, requestsPerSecond = null, requestsPerDay = null }, index) => ({
    name: nameAt(hosts, index),
    ...{ url, operator: operator?.toLowerCase() ?? defaultOperator(url) },
    ...{ requestsPerSecond, requestsPerDay },
  }))
}

/** Lists the nodes of the registry, each with its operator if the registry names one. */
export function registeredNodes({
  rpcUrls,
  operators = {},
}: Pick<DeploymentFacts, 'rpcUrls' | 'operators'>): readonly NodeEntry[] {
  return rpcUrls.map((url) => {
    const operator = operators[hostOf(url)]
    return operator === undefined ? url : { url, operator }
  })
}

/** Lists the operators of nodes, each once, in the order of their first node. */
export function listOperators(nodes: readonly Pick<NodeConfig, 'operator'>[]): readonly string[] {
  return [...new Set(nodes.map(({ operator }) => operator))]
}

/** Whether the nodes of a deployment can reach its quorum at all. */
export function canReachQuorum(deployment: {
  readonly nodes: readonly Pick<NodeConfig, 'operator'>[]
  readonly quorum: number
}): boolean {
  return listOperators(deployment.nodes).length >= deployment.quorum
}

/** Returns the host and port of a URL: the only part of a node's URL that never carries a key. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'unknown'
}

function nameAt(hosts: readonly string[], index: number): NodeName {
  const host = hosts[index] ?? 'unknown'
  const before = hosts.slice(0, index).filter((other) => other === host).length
  return before === 0 ? host : `${host}#${before + 1}`
}

/**
 * Returns the registrable domain of a URL, or its host and port if it has none: an IP address, a name without a dot.
 *
 * Private suffixes such as `fly.dev` are not used. Two hosts below one then count as one operator, which an explicit
 * `operator` can correct. The other mistake would give one operator two votes.
 */
function defaultOperator(url: string): string {
  // A dot at the end of a name changes nothing of where it leads.
  const host = hostOf(url).replace(/\.(?=:\d+$|$)/, '')
  return getDomain(host.replace(/:\d+$/, '')) ?? host
}
