import type { Address } from 'viem'

import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { type Network, SWAP_TOKENS, type SwapToken } from '../../../shared/domain/networks.ts'

/** A chain for which the provider returns quotes. */
export type SwapMarket = {
  readonly chainId: number
  readonly network: Network
  readonly settler: Address
  /** Tokens that can be bought, at one dollar per whole token. */
  readonly outputs: readonly { readonly address: Address; readonly decimals: number }[]
}

/** A token that can be sold, with the price of a whole token in dollars. */
export type MarketInput = { readonly decimals: number; readonly isNative: boolean; readonly dollars: bigint }

/** Rounded prices. No test depends on their values. */
const DOLLARS: Readonly<Record<SwapToken, bigint>> = {
  ...{ ETH: 3000n, BNB: 600n, POL: 1n, AVAX: 20n, BTC: 90_000n },
  ...{ LINK: 15n, ARB: 1n, OP: 2n, CBETH: 3300n },
}

/** Returns the token that a market accepts at an address, or `null`. */
export function findInput({ network }: SwapMarket, address: string): MarketInput | null {
  const { swapTokens } = REGISTRY[network]
  for (const token of SWAP_TOKENS) {
    const facts = swapTokens[token]
    if (facts !== undefined && facts.address === address.toLowerCase())
      return { decimals: facts.decimals, isNative: facts.isNative, dollars: DOLLARS[token] }
  }
  return null
}
