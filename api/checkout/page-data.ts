import type { ChainFamilyName } from '../../shared/domain/address.ts'

/*
 * The data that a page embeds for its script. This file contains only types, because the script is compiled separately
 * from the service.
 */

/** Key of a text that the script shows. */
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

/** Chain family. */
export type Family = ChainFamilyName

/** A token on a network. */
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
 * - `pay`: the amount, or the part of it that was neither received nor seen, can be sent.
 * - `signed`: a payment by signature might still pay the amount due.
 * - `seen`: the whole amount was received or seen in time, and a part of it has not reached confirmation depth.
 * - `deciding`: the deadline has passed, or the full amount arrived but might be late; the chain does not show yet
 *   whether it is.
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

/** The part of the projection that the script reads. */
export type PageCheckout = {
  readonly id: string
  /** Different projections have different revisions. */
  readonly revision: string
  readonly screen: Screen
  readonly family: Family
  readonly amountReceived: string | null
  /** Amount neither received nor seen. */
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
  /** Pairs that can be paid by signature. */
  readonly payBySignature: readonly PagePair[]
}

/** All data that the page of a charge embeds. */
export type PageData = {
  readonly checkout: PageCheckout
  /** The only origins to which this page sends reports while it is in a frame. */
  readonly frameOrigins: readonly string[]
  /** The chosen pair. */
  readonly chosen: PagePair | null
  /** Display names of the networks. */
  readonly networks: Readonly<Record<string, string>>
  readonly language: string
  /** Time on the service's clock, which might differ from the payer's. */
  readonly now: string
  /** Name of the paid party, capitalized as at the start of a sentence. */
  readonly payee: string
  /** Texts that the page might show; those for a payment through a wallet come with the code that talks to wallets. */
  readonly texts: Readonly<Partial<Record<ScriptPhrase, string>>>
}

/** All data that the page of a refund embeds for the payer who checks their address. */
export type ClaimPageData = Pick<PageData, 'language' | 'texts'> & {
  /** Family of the refund's chain; only its wallets can sign. */
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

/** All data that the page of an escrow embeds. */
export type EscrowPageData = Pick<PageData, 'language' | 'texts'> & {
  /** `null` if there is nothing to sign. */
  readonly escrow:
    | (Pick<PagePayment, 'chainId' | 'chain'> & {
        /** Family of the escrow's chain; only its wallets can sign. */
        readonly family: Family
        /** Display name. */
        readonly network: string
        readonly releaser: string
        /** The amount of both orders with its token. */
        readonly shownAmount: string
        /** `refund` is `null` while no refund is possible; the page then has no place for its button. */
        readonly orders: { readonly release: PageOrder; readonly refund: PageOrder | null }
      })
    | null
}
