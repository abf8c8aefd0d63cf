import { getDomain } from 'tldts'
import type { DeploymentFacts } from './networks.ts'

/**
 * Name of a node in logs, metrics and commands: its host without keys. If a host has several nodes, the second and
 * later nodes have a number.
 */
export type NodeName = string

/** A node in the configuration: a URL, or a URL with further settings. */
export type NodeEntry =
  | string
  | {
      /** The URL with the node's headers, as `formatNode` writes them. */
      readonly url: string
      readonly operator?: string
      readonly requestsPerSecond?: number
      readonly requestsPerDay?: number
    }

/** A node of a deployment, as this process uses it. */
export type NodeConfig = {
  readonly name: NodeName
  /** The URL with the node's headers, as `formatNode` writes them; it may contain a key. */
  readonly url: string
  /** The operator of the node. Nodes of one operator share one vote (decisions 9.1). */
  readonly operator: string
  /** Maximum requests per second to the node; `null` if there is no limit. */
  readonly requestsPerSecond: number | null
  /** Maximum requests per day to the node; `null` if there is no limit. */
  readonly requestsPerDay: number | null
}

/** Number of operators that must agree, unless the configuration overrides it (decisions 9.1). */
export const DEFAULT_QUORUM = 2

/** Maximum quorum in the configuration. Each vote costs one request per fact. */
export const MAX_QUORUM = 5

/** Adds names, operators and quotas to the nodes of a deployment, in their order. */
export function configureNodes(entries: readonly NodeEntry[]): readonly NodeConfig[] {
  const nodes = entries.map((entry) => (typeof entry === 'string' ? { url: entry } : entry))
  const hosts = nodes.map(({ url }) => getHost(url))
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
    const operator = operators[getHost(url)]
    return operator === undefined ? url : { url, operator }
  })
}

/** Lists the operators of nodes without duplicates, in the order of their first node. */
export function listOperators(nodes: readonly Pick<NodeConfig, 'operator'>[]): readonly string[] {
  return [...new Set(nodes.map(({ operator }) => operator))]
}

/** Returns whether the nodes of a deployment have enough operators for its quorum. */
export function canReachQuorum(deployment: {
  readonly nodes: readonly Pick<NodeConfig, 'operator'>[]
  readonly quorum: number
}): boolean {
  return listOperators(deployment.nodes).length >= deployment.quorum
}

/** Returns the host and port of a URL, the only part that never contains a key. */
export function getHost(url: string): string {
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
 * Private suffixes such as `fly.dev` do not count as suffixes. Two hosts below the same private suffix therefore count
 * as one operator, which an explicit `operator` can correct. The opposite mistake would give one operator two votes.
 */
function defaultOperator(url: string): string {
  // A trailing dot does not change which host a name means.
  const host = getHost(url).replace(/\.(?=:\d+$|$)/, '')
  return getDomain(host.replace(/:\d+$/, '')) ?? host
}
