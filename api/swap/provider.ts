import type { Address, Hex } from '../../shared/domain/address.ts'
import type { AtomicUnits } from '../../shared/domain/money.ts'
import type { SwapProviderName } from '../../shared/domain/swap/swap-providers.ts'

/** A service that swaps an asset for an exact amount of a token and sends it to an address, in one transaction. */
export type SwapProvider = {
  readonly name: SwapProviderName
  /** Fetches the ids of the chains that the provider supports; throws if they cannot be fetched. */
  readonly listChains: (signal: AbortSignal) => Promise<readonly number[]>
  /** Requests one offer. Never throws: every failure is a result, including an aborted `signal`. */
  readonly quoteExactOut: (ask: SwapQuoteRequest, signal: AbortSignal) => Promise<SwapQuoteResponse>
}

/** A request for a swap with an exact output amount. */
export type SwapQuoteRequest = {
  readonly chainId: number
  readonly sellToken: { readonly address: Address; readonly isNative: boolean }
  readonly buyToken: Address
  /** Exact amount that the recipient must receive. */
  readonly buyAtomic: AtomicUnits
  /** The account that pays and sends the transaction. */
  readonly taker: Address
  readonly recipient: Address
}

/** A provider's response. `id` is the id that the provider gave the response, for its support and our log. */
export type SwapQuoteResponse =
  | { readonly ok: true; readonly id: string | null; readonly offer: SwapOffer }
  | {
      readonly ok: false
      readonly id: string | null
      /** The reason in our own words, of limited length. */
      readonly reason: string
      /** Whether the failure suggests that the provider is down. */
      readonly isOutage: boolean
    }

/** A parsed offer that is not verified yet. */
export type SwapOffer = {
  readonly sellToken: Address
  readonly buyToken: Address
  readonly buyAtomic: AtomicUnits
  /** Maximum amount that the payer spends. The same transaction returns the unused part. */
  readonly maxSellAtomic: AtomicUnits
  /** Our service's own fee. */
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

/** The permit that the payer of an ERC-20 token must sign, a `PermitTransferFrom` of Permit2. */
export type Permit2Offer = {
  readonly domain: { readonly name: string; readonly chainId: number; readonly verifyingContract: Address }
  readonly primaryType: string
  readonly token: Address
  readonly amountAtomic: AtomicUnits
  readonly spender: Address
  readonly nonce: bigint
  /** Unix seconds. The value might exceed the range of a date. */
  readonly deadline: bigint
  /** Hash of the permit according to the provider. */
  readonly hash: Hex
}
