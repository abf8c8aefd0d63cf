import { type RpcProxy, type RpcRule, startRpcProxy } from '../rpc-proxy.ts'
import { createFreeze } from './freeze.ts'
import { type Lie, tellLie } from './lie.ts'
import { type ForwardCall, forwardTo } from './rpc-types.ts'

/** Fault of a node. */
export type NodeFault =
  /** Reports logs, block times or call results that differ from the chain's. */
  | { readonly type: 'lies'; readonly lie: Lie }
  /** Reports no block after the block that was newest when the fault began. */
  | { readonly type: 'freezes' }
  /** Rejects every request with HTTP 500. */
  | { readonly type: 'dies' }
  /** Accepts every request and responds to none. */
  | { readonly type: 'hangs' }

/** A proxy in front of a real node. It forwards every request until a fault is set. */
export type DishonestNode = {
  readonly url: string
  /** Replaces the current fault. `null` removes it. */
  readonly setFault: (fault: NodeFault | null) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a proxy in front of the node at a URL. */
export async function startDishonestNode(rpcUrl: string): Promise<DishonestNode> {
  const proxy: RpcProxy = await startRpcProxy(rpcUrl)
  const forward = forwardTo(rpcUrl)
  return {
    url: proxy.url,
    setFault: async (fault) => proxy.rule(await createRule(fault, forward)),
    stop: proxy.stop,
  }
}

async function createRule(fault: NodeFault | null, forward: ForwardCall): Promise<RpcRule> {
  if (fault === null) return () => 'pass'
  if (fault.type === 'dies') return () => 'error'
  if (fault.type === 'hangs') return () => 'hang'
  return fault.type === 'freezes' ? createFreeze(forward) : tellLie(fault.lie, forward)
}
