import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { Network } from '../../../shared/domain/networks.ts'
import type { StartedExtra } from '../extra.ts'
import type { DevnetChain } from '../networks.ts'
import { deploySwap, SETTLER } from './deploy-swap.ts'
import { type SwapProviderServer, startSwapProvider } from './swap-provider.ts'

/**
 * Starts one swap provider for the live chains whose networks support swaps, and deploys its contracts and input tokens
 * on these chains.
 */
export async function startSwap(
  chains: readonly DevnetChain[],
): Promise<StartedExtra & { readonly provider: SwapProviderServer }> {
  const served = chains.filter(({ environment, network }) => environment === 'live' && hasInputs(network))
  for (const { anvil, network } of served) await deploySwap({ ...anvil, network })
  const provider = await startSwapProvider(
    served.map(({ anvil, network, deployed }) => ({
      ...{ chainId: anvil.chainId, network, settler: SETTLER, outputs: deployed },
    })),
  )
  return {
    settings: {
      api: { SWAP_PROVIDER: '0x', SWAP_API_KEY: 'devnet-swap-key', SWAP_BASE_URL: provider.url },
      indexer: { SWAP_PROVIDER: '0x' },
    },
    description: { swap: { providerUrl: provider.url } },
    stop: provider.stop,
    provider,
  }
}

/** Whether the network supports swaps. TRON and Arc do not. */
function hasInputs(network: Network): boolean {
  return Object.keys(REGISTRY[network].swapTokens).length > 0
}
