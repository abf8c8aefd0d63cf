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

/** Chain family. */
export type Family = ChainFamilyName

/** One way to pay, with the values that a wallet needs. */
export type PagePayment = {
  readonly token: string
  readonly network: string
  readonly chainId: number
  readonly tokenAddress: string
  /** In the token. */
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

/** The part of the projection that the script reads. */
export type PageCheckout = {
  readonly id: string
  readonly screen: 'pay' | 'seen' | 'deciding' | 'unavailable' | 'paid' | 'underpaid' | 'expired' | 'late'
  readonly family: Family
  readonly amountReceived: string | null
  /** Amount neither received nor seen. */
  readonly remainingAfterSeen: string | null
  readonly seenTransfers: readonly { readonly txHash: string }[]
  readonly txHash: string | null
  readonly expiresAt: string
  readonly redirectUrl: string | null
  /** Amount received beyond the amount due, if the page tells of it. */
  readonly excess: string | null
  readonly howToPay: { readonly address: string; readonly payments: readonly PagePayment[] } | null
  readonly swapAlternatives: readonly { readonly token: string; readonly network: string }[]
  /** Pairs that can be paid by signature. */
  readonly payBySignature: readonly { readonly token: string; readonly network: string }[]
}

/** All embedded data. */
export type PageData = {
  readonly checkout: PageCheckout
  /** The only origins whose pages receive reports from this page in a frame. */
  readonly frameOrigins: readonly string[]
  /** The chosen pair. */
  readonly chosen: { readonly token: string; readonly network: string } | null
  /** Display names of the networks. */
  readonly networks: Readonly<Record<string, string>>
  readonly language: string
  /** Time on the service's clock, which might differ from the payer's. */
  readonly now: string
  /** Name of the paid party, as at the start of a sentence. */
  readonly payee: string
  readonly texts: Readonly<Record<ScriptPhrase, string>>
}
