import {
  type Chain,
  createPublicClient,
  fallback,
  http,
  type PublicClient,
  type Transport,
  webSocket,
} from 'viem'

/** Reads one chain; `chain.id` is what its nodes are expected to answer. */
export type ChainClient = PublicClient<Transport, Chain>

/** After this long a node is given up for the moment and the next one is asked. */
const REQUEST_TIMEOUT_MS = 5000

/** Each node is asked at most this many times more: with two nodes a read ends after 20 s at the latest. */
const RETRIES_PER_NODE = 1

/**
 * Makes a client that asks a deployment's nodes in the given order, with bounded time-outs and retries.
 *
 * Makes no request yet.
 *
 * @param deployment - `rpcUrls` (http or ws) is not empty, the preferred node first
 */
export function createChainClient(deployment: {
  readonly chainId: number
  readonly rpcUrls: readonly string[]
}): ChainClient {
  // Ranking would move requests to the fastest node, and spend requests on finding it: the operator's order stands.
  const transport = fallback(deployment.rpcUrls.map(nodeTransport), { rank: false, retryCount: 0 })
  return createPublicClient({ chain: describeChain(deployment), transport })
}

function nodeTransport(url: string): Transport {
  const options = { timeout: REQUEST_TIMEOUT_MS, retryCount: RETRIES_PER_NODE }
  return url.startsWith('ws') ? webSocket(url, options) : http(url, options)
}

/** What viem wants to know of a chain; the currency stands in no request, so it need not be the chain's own. */
function describeChain({ chainId, rpcUrls }: { chainId: number; rpcUrls: readonly string[] }): Chain {
  return {
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Native coin', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: rpcUrls.filter((url) => url.startsWith('http')) } },
  }
}
