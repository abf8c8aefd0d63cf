import type { ChargeRecord } from '../charge.ts'
import { REGISTRY } from '../network-registry.ts'
import { type Network, type Pair, type PairKey, pairKey, SWAP_TOKENS, type SwapToken } from '../networks.ts'

/** A token that a payer can swap into an accepted pair. */
export type SwapAlternative = { readonly token: SwapToken; readonly network: Network }

/** The networks and pairs for which swaps are currently available. */
export type SwapSupport = {
  /**
   * Networks on which the provider swaps. Empty without a provider, but not while the provider is down (decisions 8.4).
   */
  readonly networks: ReadonlySet<Network>
  /** Live pairs that an operator has paused. In API responses also live pairs whose chain is stale. */
  readonly unavailablePayments: ReadonlySet<PairKey>
}

type SwappableCharge = Pick<ChargeRecord, 'environment' | 'acceptedPayments'>

/**
 * Lists the swap tokens with which a charge can be paid: on each network where the charge accepts an available pair,
 * the registry's tokens in the specification's order. Responses, webhooks and streams use this list; streams treat all
 * pairs as available.
 *
 * @returns an empty list for a test charge
 */
export function listSwapAlternatives(
  charge: SwappableCharge,
  offering: SwapSupport,
): readonly SwapAlternative[] {
  const networks = new Set(listSwapOutputs(charge, offering).map(({ network }) => network))
  return [...networks].flatMap((network) =>
    SWAP_TOKENS.filter((token) => REGISTRY[network].swapTokens[token] !== undefined).map((token) => ({
      token,
      network,
    })),
  )
}

/** Returns the pair that a swap on a network pays, USDC before USDT, or `null` if there is no such pair. */
export function findSwapOutput(
  charge: SwappableCharge,
  { network, offering }: { readonly network: Network; readonly offering: SwapSupport },
): Pair | null {
  const outputs = listSwapOutputs(charge, offering).filter((pair) => pair.network === network)
  return outputs.find(({ token }) => token === 'USDC') ?? outputs[0] ?? null
}

function listSwapOutputs(charge: SwappableCharge, offering: SwapSupport): readonly Pair[] {
  if (charge.environment === 'test') return []
  return charge.acceptedPayments.filter(
    (pair) => offering.networks.has(pair.network) && !offering.unavailablePayments.has(pairKey(pair)),
  )
}
