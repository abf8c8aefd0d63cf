import type { ChainPlan } from '../devnet/networks.ts'
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts'

/** Starts a proxy of a node that counts the requests by method. */
export async function openDoor(rpcUrl: string, counts: Map<string, number>): Promise<RpcProxy> {
  const door = await startRpcProxy(rpcUrl)
  door.rule((method) => {
    counts.set(method, (counts.get(method) ?? 0) + 1)
    return 'pass'
  })
  return door
}

/**
 * Plans the same chain with a counting proxy in front of its node. Adds the proxy to `proxies` when it has started, and
 * calls `told` with its URL.
 */
export function behindDoor(
  plan: ChainPlan,
  counts: Map<string, number>,
  opened: { readonly proxies: RpcProxy[]; readonly told?: (rpcUrl: string) => void },
): ChainPlan {
  const { start } = plan
  if (start === undefined) throw new Error('the chain has no function that starts it')
  return {
    ...plan,
    start: async (options) => {
      const started = await start(options)
      opened.told?.(started.anvil.rpcUrl)
      const door = await openDoor(started.anvil.rpcUrl, counts)
      opened.proxies.push(door)
      return { ...started, anvil: { ...started.anvil, rpcUrl: door.url } }
    },
  }
}
