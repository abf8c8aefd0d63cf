import { Gauge } from 'prom-client'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

/** Which chain a node says it serves, and which it is configured for. */
type Verdict = { readonly url: string; readonly chainId: number; readonly servedChainId: number }

/** Tells operators of the nodes that serve another chain than they are configured for. */
export type NodeWatch = {
  /** Takes in what a node said of itself, as often as somebody reads it. */
  readonly note: (verdict: Verdict) => void
}

/**
 * Makes the watch over the nodes of a process: an alert at level error when a node turns out to serve another chain,
 * a line when it serves its own again, and a gauge. They name the host alone, for an URL may carry a key.
 */
export function createNodeWatch({
  log,
  registry,
}: {
  readonly log: Logger
  readonly registry: Metrics
}): NodeWatch {
  const gauge = new Gauge({
    name: 'nodes_of_another_chain',
    help: 'Configured nodes that serve another chain and are out of use; by chain id and host',
    labelNames: ['chain_id', 'node'],
    registers: [registry],
  })
  /** By chain and URL; what a URL serves is the operator's mistake to make, so there are few. */
  const foreign = new Map<string, { readonly chainId: number; readonly node: string }>()

  return { note }

  function note({ url, chainId, servedChainId }: Verdict): void {
    const key = `${chainId} ${url}`
    const node = URL.canParse(url) ? new URL(url).host : 'unknown'
    const isForeign = servedChainId !== chainId
    if (isForeign !== foreign.has(key)) tell({ chainId, node, servedChainId })
    if (isForeign) foreign.set(key, { chainId, node })
    else foreign.delete(key)
    // Two keys at one host are two nodes.
    const alike = [...foreign.values()].filter((other) => other.chainId === chainId && other.node === node)
    gauge.set({ chain_id: chainId, node }, alike.length)
  }

  function tell({ chainId, node, servedChainId }: { chainId: number; node: string; servedChainId: number }) {
    const fields = { chain_id: chainId, node, served_chain_id: servedChainId }
    if (servedChainId === chainId) log.info({ msg: 'A node serves its chain again', ...fields })
    else log.error({ msg: 'A node serves another chain than configured: it is out of use', ...fields })
  }
}
