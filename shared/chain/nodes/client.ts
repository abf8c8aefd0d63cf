import { type Chain, createPublicClient, type PublicClient, type Transport } from 'viem'
import type { PacerOf, Priority } from '../pacing/pacing.ts'
import { toPacing } from '../pacing/to-pacing.ts'
import { createFallbackTransport } from './fallback-transport.ts'
import { nodeTransport } from './node-transport.ts'
import type { ChainIdCheck } from './verify-chain-id.ts'

export type ChainClient = PublicClient<Transport, Chain>

/** A chain, and the URLs (http or ws) of its nodes: not empty, in order of preference. */
export type ChainUrls = {
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  readonly pacerOf?: PacerOf | undefined
}

type ClientUse = {
  readonly onVerdict?: ((verdict: ChainIdCheck) => void) | undefined
  readonly priority?: Priority | undefined
}

/** Timeout of a request, after which the next node is tried. */
const REQUEST_TIMEOUT_MS = 5000

/** Maximum rounds over all nodes. If two nodes hang, a read fails after about 20 s. */
const ROUNDS = 2

/**
 * Creates a client that queries a deployment's nodes in the given order, with bounded timeouts and retries.
 *
 * Sends no request yet. Every response comes from a node that was verified to serve this chain. Callers must not query
 * the chain id themselves, because the result would prove nothing about the node that responds next.
 *
 * @param use.onVerdict - called whenever a node's chain id was read
 */
export function createChainClient(
  deployment: ChainUrls,
  { onVerdict, priority }: ClientUse = {},
): ChainClient {
  const { chainId, rpcUrls, pacerOf } = deployment
  const nodes = rpcUrls.map((url) => {
    const pacing = toPacing({ pacerOf, priority }, url)
    return nodeTransport({ url, chainId, timeoutMs: REQUEST_TIMEOUT_MS, pacing, onVerdict })
  })
  return createPublicClient({
    chain: describeChain(deployment),
    transport: createFallbackTransport(nodes, { rounds: ROUNDS }),
    // CCIP reads are disabled, because they let a revert make us request a URL that the contract's author has chosen
    // (EIP-3668).
    ccipRead: false,
  })
}

/** Returns the chain description that viem requires. No request contains the currency, so its values do not matter. */
function describeChain({ chainId, rpcUrls }: ChainUrls): Chain {
  return {
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Native coin', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: rpcUrls.filter((url) => url.startsWith('http')) } },
  }
}
