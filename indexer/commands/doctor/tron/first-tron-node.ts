import type { ChainClient } from '../../../../shared/chain/nodes/client.ts'
import { createTronNode, TIMEOUT_MS, type TronNode } from '../../../../shared/chain/tron/tron-node.ts'
import { invariant } from '../../../../shared/domain/errors.ts'

/** Returns the HTTP API of a client's first node. */
export function createFirstTronNode({ chain }: ChainClient): TronNode {
  const [url] = chain.rpcUrls.default.http
  invariant(url !== undefined, 'a TRON node must have an http URL')
  return createTronNode({ url, chainId: chain.id, timeoutMs: TIMEOUT_MS })
}
