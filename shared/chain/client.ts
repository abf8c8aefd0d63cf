import { type Chain, createPublicClient, type PublicClient, type Transport } from 'viem'
import { askInTurn } from './ask-in-turn.ts'
import type { NodeVerdict } from './node-identity.ts'
import { nodeTransport } from './node-transport.ts'

/** Reads one chain; `chain.id` is what its nodes are expected to answer. */
export type ChainClient = PublicClient<Transport, Chain>

/** After this long a node is given up for the moment and the next one is asked. */
const REQUEST_TIMEOUT_MS = 5000

/** Of asking all nodes: with two nodes that hang, a read ends after some 20 s. */
const ROUNDS = 2

/**
 * Makes a client that asks a deployment's nodes in the given order, with bounded time-outs and retries.
 *
 * Makes no request yet. What it answers comes from a node that serves this chain, read from that very node: there is
 * no need to ask for the chain id beside, which would prove nothing about the node that answers next.
 *
 * @param deployment - `rpcUrls` (http or ws) is not empty, the preferred node first
 * @param onVerdict - told which chain each node serves, whenever that was read
 */
export function createChainClient(
  deployment: { readonly chainId: number; readonly rpcUrls: readonly string[] },
  onVerdict?: (verdict: NodeVerdict) => void,
): ChainClient {
  const { chainId, rpcUrls } = deployment
  const nodes = rpcUrls.map((url) =>
    nodeTransport({ url, chainId, timeoutMs: REQUEST_TIMEOUT_MS, onVerdict }),
  )
  return createPublicClient({
    chain: describeChain(deployment),
    transport: askInTurn(nodes, { rounds: ROUNDS }),
    // A revert could otherwise make us ask an URL that whoever wrote the contract has chosen (EIP-3668).
    ccipRead: false,
  })
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
