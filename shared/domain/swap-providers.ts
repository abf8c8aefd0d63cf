/**
 * The swap providers there are adapters for, each with the chains it is known to swap on: these count until it has said
 * itself where it does.
 *
 * Source of 0x's: its Swap API's list of chains, read in August 2026; of our networks all but tron and arc.
 */
export const SWAP_PROVIDERS = {
  '0x': { chainIds: [1, 10, 56, 137, 8453, 42161, 43114] },
} as const satisfies Record<string, { readonly chainIds: readonly number[] }>

export type SwapProviderName = keyof typeof SWAP_PROVIDERS
