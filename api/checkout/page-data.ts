import type { AddressFamily } from '../../shared/domain/address.ts'

/*
 * What the page's script is told of its page, in the page. Types alone: the script is compiled apart from the service.
 */

/** A phrase that the script says. */
export type ScriptPhrase =
  | `script.${'copy' | 'copied' | 'copyFailed' | 'lost' | 'left' | 'payWith' | 'wallet'}`
  | `script.${'asking' | 'switching' | 'rejected' | 'unsigned' | 'pending' | 'noNetwork' | 'changed' | 'error'}`
  | `script.${'askedTitle' | 'asked' | 'notSent'}`
  | `script.${'sentTitle' | 'sent' | 'again' | 'reverted' | 'returning' | 'stay' | 'swap' | 'swapWith' | 'quoting'}`
  | `script.${'noFee' | 'goSign' | 'goSend' | 'noSigning' | 'notTaken' | 'noBalance'}`
  | `script.${'signedTitle' | 'signed' | 'unclearTitle' | 'unclear' | 'lapsed'}`
  | `script.${'heldTitle' | 'held' | 'notSigned'}`
  | `script.${'offer' | 'stepSend' | 'stepSign' | 'stepAllow' | 'go' | 'noOffer' | 'offerOver'}`

/** Of chains. */
export type Family = AddressFamily

/** One way to pay, as far as a wallet has to know it. */
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

/** What the script reads of the projection; more is in it. */
export type PageCheckout = {
  readonly id: string
  readonly screen: 'pay' | 'seen' | 'deciding' | 'unavailable' | 'paid' | 'underpaid' | 'expired'
  readonly family: Family
  readonly amountReceived: string | null
  readonly txHash: string | null
  readonly expiresAt: string
  readonly redirectUrl: string | null
  readonly howToPay: { readonly address: string; readonly payments: readonly PagePayment[] } | null
  readonly swapAlternatives: readonly { readonly token: string; readonly network: string }[]
  /** What a signature alone pays in. */
  readonly payBySignature: readonly { readonly token: string; readonly network: string }[]
}

/** All of it. */
export type PageData = {
  readonly checkout: PageCheckout
  /** The pair that was chosen. */
  readonly chosen: { readonly token: string; readonly network: string } | null
  /** What to call the networks. */
  readonly networks: Readonly<Record<string, string>>
  readonly language: string
  /** By the service's clock, which the payer's may differ from. */
  readonly now: string
  readonly texts: Readonly<Record<ScriptPhrase, string>>
}
