import type { Address, Hex } from '../../shared/domain/address.ts'
import type { AtomicUnits } from '../../shared/domain/money.ts'
import type { SwapProviderName } from '../../shared/domain/swap-providers.ts'

/** Whoever can buy an exact amount of a token for another and have it sent to an address, in one transaction. */
export type SwapProvider = {
  readonly name: SwapProviderName
  /** Asks on which chains it swaps; throws if it does not say. */
  readonly listChains: (signal: AbortSignal) => Promise<readonly number[]>
  /** Asks once, and never throws: what goes wrong, the end of `signal` included, is an answer, too. */
  readonly quoteExactOut: (ask: SwapAsk, signal: AbortSignal) => Promise<SwapAnswer>
}

/** What is to be bought, for whom. */
export type SwapAsk = {
  readonly chainId: number
  readonly sellToken: { readonly address: Address; readonly isNative: boolean }
  readonly buyToken: Address
  /** Exactly this much is to arrive. */
  readonly buyAtomic: AtomicUnits
  /** Who pays, and sends the transaction. */
  readonly taker: Address
  /** Where `buyAtomic` is to arrive. */
  readonly recipient: Address
}

/** What a provider answers; `id` is its own name of the answer, for its support and our log. */
export type SwapAnswer =
  | { readonly ok: true; readonly id: string | null; readonly offer: SwapOffer }
  | {
      readonly ok: false
      readonly id: string | null
      /** Of our own words, and bounded. */
      readonly reason: string
      /** The provider itself is out of order, and need not be asked again for a while. */
      readonly isOutage: boolean
    }

/** An offer as it was made, read but not yet believed. */
export type SwapOffer = {
  readonly sellToken: Address
  readonly buyToken: Address
  readonly buyAtomic: AtomicUnits
  /** What the payer needs at most; he gets the rest back in the same transaction. */
  readonly maxSellAtomic: AtomicUnits
  /** Ours. */
  readonly serviceFee: FeeOffer | null
  readonly providerFee: FeeOffer | null
  readonly transaction: {
    readonly to: Address
    readonly data: Hex
    readonly valueWei: bigint
    readonly gas: bigint | null
  }
  readonly permit2: Permit2Offer | null
}

type FeeOffer = { readonly atomic: AtomicUnits; readonly token: Address }

/** What the payer of an ERC-20 token is to sign, as Permit2's `PermitTransferFrom`. */
export type Permit2Offer = {
  readonly domain: { readonly name: string; readonly chainId: number; readonly verifyingContract: Address }
  readonly primaryType: string
  readonly token: Address
  readonly amountAtomic: AtomicUnits
  readonly spender: Address
  readonly nonce: bigint
  /** Unix seconds; beyond what a date can hold, too. */
  readonly deadline: bigint
  /** What the provider says the hash of all this is. */
  readonly hash: Hex
}
