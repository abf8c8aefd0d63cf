import { getHost } from '../domain/node-config.ts'
import type { Logger } from './logger.ts'
import { type Metrics, registerMetrics } from './metrics.ts'

/** `chainId` is configured for the node, and `servedChainId` is the chain id that the node reported. */
type ChainIdReport = { readonly url: string; readonly chainId: number; readonly servedChainId: number }

type Deps = { readonly log: Logger; readonly registry: Metrics }

/**
 * Creates a function that must be called whenever a node reports its chain id.
 *
 * It logs an error when a node starts to report another chain, logs when the node reports the configured chain again,
 * and sets a gauge. Logs and gauge show only the host, because a URL may contain a key.
 */
export function createNodeMonitor({ log, registry }: Deps): (report: ChainIdReport) => void {
  const { nodes_on_wrong_chain: gauge } = registerMetrics(registry, ['chain_id', 'node'], {
    nodes_on_wrong_chain: 'Configured nodes that serve another chain and are excluded; by chain id and host',
  })
  /** Nodes that serve another chain, by configured chain and URL. */
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
    // Nodes at the same host share the gauge's labels, so their number is the value.
    const alike = [...foreign.values()].filter((other) => other.chainId === chainId && other.node === node)
    gauge.set({ chain_id: chainId, node }, alike.length)
  }
}
