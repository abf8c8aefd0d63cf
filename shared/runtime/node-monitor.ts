import { getHost } from '../domain/node-config.ts'
import type { Logger } from './logger.ts'
import { type Metrics, registerMetrics } from './metrics.ts'

/** The chain id that a node reports, and the chain id that is configured for the node. */
type ChainIdReport = { readonly url: string; readonly chainId: number; readonly servedChainId: number }

type Deps = { readonly log: Logger; readonly registry: Metrics }

/**
 * Creates the monitor of a process's nodes. It must be called with the chain id that a node reports, whenever the id is
 * read.
 *
 * The monitor logs an error when a node is found on another chain, and a line when the node serves the configured chain
 * again. It also sets a gauge. All of them show only the host, because a URL may contain a key.
 */
export function createNodeMonitor({ log, registry }: Deps): (report: ChainIdReport) => void {
  const { nodes_on_wrong_chain: gauge } = registerMetrics(registry, ['chain_id', 'node'], {
    nodes_on_wrong_chain: 'Configured nodes that serve another chain and are excluded; by chain id and host',
  })
  /**
   * Nodes that serve another chain, by chain and URL. There are only a few, because they are configuration mistakes.
   */
  const foreign = new Map<string, { readonly chainId: number; readonly node: string }>()

  return ({ url, chainId, servedChainId }) => {
    const key = `${chainId} ${url}`
    const node = getHost(url)
    const isForeign = servedChainId !== chainId
    const fields = { chain_id: chainId, node, served_chain_id: servedChainId }
    if (isForeign && !foreign.has(key))
      log.error({ msg: 'Node is on the wrong chain and excluded', ...fields })
    if (!isForeign && foreign.has(key)) log.info({ msg: 'Node is on its chain again', ...fields })
    if (isForeign) foreign.set(key, { chainId, node })
    else foreign.delete(key)
    // Two URLs with different keys at one host are two nodes.
    const alike = [...foreign.values()].filter((other) => other.chainId === chainId && other.node === node)
    gauge.set({ chain_id: chainId, node }, alike.length)
  }
}
