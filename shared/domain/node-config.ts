import { getDomain } from 'tldts'
import type { DeploymentFacts } from './networks.ts'

/** Name of a node in logs, metrics and commands: its host, followed by `#2`, `#3` … for further nodes of that host. */
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

/** A configured node with its defaults. */
export type NodeConfig = {
  readonly name: NodeName
  /** The URL with the node's headers, as `formatNode` writes them; it may contain a key. */
  readonly url: string
  /** All nodes of one operator count once towards the quorum (decisions 9.1). */
  readonly operator: string
  /** Maximum requests per second to the node; `null` if there is no limit. */
  readonly requestsPerSecond: number | null
  /** Maximum requests per day to the node; `null` if there is no limit. */
  readonly requestsPerDay: number | null
}

/** Number of operators that must agree, unless the configuration overrides it (decisions 9.1). */
export const DEFAULT_QUORUM = 2

/** Maximum quorum in the configuration. Each operator of the quorum costs one request per fact. */
export const MAX_QUORUM = 5

/** Adds names and default operators to the nodes of a deployment, in their order. */
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

/** Returns the host and port of a URL, the only part that never contains a key; `unknown` for any other text. */
export function getHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'unknown'
}

function nameAt(hosts: readonly string[], index: number): NodeName {
  const host = hosts[index] ?? 'unknown'
  const before = hosts.slice(0, index).filter((other) => other === host).length
  return before === 0 ? host : `${host}#${before + 1}`
}

/**
 * Returns the registrable domain of a URL, or the host and port of an IP address or of a name without a dot.
 *
 * All hosts below a private suffix such as `fly.dev` count as one operator, which an explicit `operator` can correct.
 * The opposite mistake would count one operator twice.
 */
function defaultOperator(url: string): string {
  // A trailing dot does not change which host a name means.
  const host = getHost(url).replace(/\.(?=:\d+$|$)/, '')
  return getDomain(host.replace(/:\d+$/, '')) ?? host
}
