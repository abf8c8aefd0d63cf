import type { ChainFamilyName } from '../../shared/domain/address.ts'

/*
 * The data that a page embeds for its script. This file contains only types, because the scripts are compiled
 * separately from the service.
 */

export type ScriptPhrase =
  | `script.${'copy' | 'copied' | 'copyFailed' | 'lost' | 'left' | 'payWith' | 'wallet' | 'confirm'}`
  | `script.${'walletUnknown' | 'walletInBrowser' | 'offline' | 'unsent' | 'noConnection' | 'offerValid'}`
  | `script.${'asking' | 'switching' | 'rejected' | 'unsigned' | 'pending' | 'noNetwork' | 'changed' | 'error'}`
  | `script.${'askedTitle' | 'asked' | 'notSent'}`
  | `script.${'sentTitle' | 'sent' | 'again' | 'reverted' | 'returning' | 'stay' | 'swap' | 'swapWith' | 'quoting'}`
  | `script.${'noFee' | 'goSign' | 'goSend' | 'noSigning' | 'notTaken' | 'noBalance'}`
  | `script.${'signedTitle' | 'signed' | 'unclearTitle' | 'unclear' | 'lapsed'}`
  | `script.${'heldTitle' | 'held' | 'notSigned'}`
  | `script.${'offer' | 'stepSend' | 'stepSign' | 'stepAllow' | 'go' | 'noOffer' | 'offerOver'}`
  | 'claim.prove'
  | `escrow.${'releaseWith' | 'refundWith' | 'sign' | 'asking' | 'otherAccount' | 'unconfirmed' | 'blocked'}`

export type Family = ChainFamilyName

export type PagePair = { readonly token: string; readonly network: string }

/** One way to pay, with the values that a wallet needs. */
export type PagePayment = PagePair & {
  readonly chainId: number
  readonly tokenAddress: string
  /** A decimal in units of the token. */
  readonly amount: string
  readonly amountAtomic: string
  readonly transfer: { readonly to: string; readonly data: string } | null
  readonly chain: {
    readonly name: string
    readonly explorer: string
    readonly rpcUrls: readonly string[]
    readonly nativeCurrency: { readonly symbol: string; readonly decimals: number }
  } | null
}

/**
 * The subject of a payer's page. Only `pay` requests money.
 *
 * - `pay`: an amount is due that was neither received nor seen.
 * - `signed`: a payment by signature is in flight and might pay the amount due.
 * - `seen`: the whole amount was received or seen in time, and a part of it has not reached confirmation depth.
 * - `deciding`: the deadline has passed, or the full amount arrived but might be late. The chain does not show yet
 *   which payments were in time.
 * - `unavailable`: a payment sent now might not be noticed in time, on any pair.
 * - `late`: the charge has ended, and money arrived late: enough to complete an underpaid charge, or at least half of
 *   the amount of an expired charge.
 */
export type Screen =
  | 'pay'
  | 'signed'
  | 'seen'
  | 'deciding'
  | 'unavailable'
  | 'paid'
  | 'underpaid'
  | 'expired'
  | 'late'

/** The fields of `Checkout` (`project.ts`) that the script reads. */
export type PageCheckout = {
  readonly id: string
  /** Changes with any field of `Checkout`. */
  readonly revision: string
  readonly screen: Screen
  readonly family: Family
  readonly amountReceived: string | null
  readonly remainingAfterSeen: string | null
  readonly seenTransfers: readonly { readonly txHash: string }[]
  readonly txHash: string | null
  readonly expiresAt: string
  readonly redirectUrl: string | null
  /** Amount received beyond the charge's amount; `null` if the page announces none. */
  readonly excess: string | null
  readonly howToPay: {
    readonly address: string
    /** Every pair that can be paid now. */
    readonly open: readonly PagePair[]
    /** The chosen way to pay, and the ways to pay by a swap. */
    readonly payments: readonly PagePayment[]
  } | null
  readonly swapAlternatives: readonly PagePair[]
  readonly payBySignature: readonly PagePair[]
}

export type PageData = {
  readonly checkout: PageCheckout
  /** Origins that may embed this page; reports go only to them. */
  readonly frameOrigins: readonly string[]
  /** The chosen pair, or the first pair; `null` if the page requests no payment. */
  readonly chosen: PagePair | null
  /** Display names of the networks. */
  readonly networks: Readonly<Record<string, string>>
  readonly language: string
  /** Time on the service's clock, which might differ from the payer's. */
  readonly now: string
  /** Name of the paid party, capitalized as at the start of a sentence. */
  readonly payee: string
  /** Texts that the page might show. The payment code contains those for a payment through a wallet. */
  readonly texts: Readonly<Partial<Record<ScriptPhrase, string>>>
}

/** All data that the page of a refund embeds while the payer reviews their address. */
export type ClaimPageData = Pick<PageData, 'language' | 'texts'> & {
  /** Family of the refund's chain; only wallets of this family can sign. */
  readonly family: Family
  /** EIP-712 data that a sender of the payment may sign. */
  readonly typedData: object
}

/** An order that the releaser of an escrow can sign. */
export type PageOrder = {
  readonly destination: string
  /** In atomic units of the token. */
  readonly amount: string
  /** EIP-712 data, as the API endpoints return it. */
  readonly typedData: object
}

export type EscrowPageData = Pick<PageData, 'language' | 'texts'> & {
  /** `null` if there is nothing to sign. */
  readonly escrow:
    | (Pick<PagePayment, 'chainId' | 'chain'> & {
        /** Family of the escrow's chain; only wallets of this family can sign. */
        readonly family: Family
        /** Display name of the network. */
        readonly network: string
        readonly releaser: string
        /** The amount of each order, with its token. */
        readonly shownAmount: string
        /** `refund` is `null` while no refund is possible. */
        readonly orders: { readonly release: PageOrder; readonly refund: PageOrder | null }
      })
    | null
}
