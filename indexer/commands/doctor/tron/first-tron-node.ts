import type { ChainClient } from '../../../../shared/chain/nodes/client.ts'
import { createTronNode, type TronNode } from '../../../../shared/chain/tron/tron-node.ts'
import { invariant } from '../../../../shared/domain/errors.ts'

/** A node that takes longer to respond is unusable. */
const TIMEOUT_MS = 5_000

/** Returns the HTTP API of a client's first node, at the parent path of its `/jsonrpc`. */
export function createFirstTronNode({ chain }: ChainClient): TronNode {
  const [url] = chain.rpcUrls.default.http
  invariant(url !== undefined, 'a TRON node must have an http URL')
  return createTronNode({ url, chainId: chain.id, timeoutMs: TIMEOUT_MS })
}
