/**
 * The supported swap providers. `chainIds` applies until the provider reports the chains that it supports.
 *
 * Source for 0x: its Swap API's list of chains, read in August 2026. 0x supports our networks except tron and arc.
 */
export const SWAP_PROVIDERS = {
  '0x': { chainIds: [1, 10, 56, 137, 8453, 42161, 43114] },
} as const satisfies Record<string, { readonly chainIds: readonly number[] }>

export type SwapProviderName = keyof typeof SWAP_PROVIDERS
