import type { PagePayment } from '../page-data.ts'

/** What a wallet lets a page ask (EIP-1193, TIP-1193). */
export type Provider = {
  readonly request: (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>
  /** Of wallets of TRON: what makes, signs and sends; another one after every change of chain. */
  readonly tronWeb?: unknown
}

/** Sends what was made ready, and answers the hash; what fails is a `Refusal`, which says if it may be on its way. */
export type Send = (() => Promise<string>) & {
  /** What is sent is the payer's signature, and the service carries it out. */
  readonly signed?: Signed
}

/** What a payer signs: spent once, and only before this second of Unix time. */
export type Signed = {
  readonly from: string
  /** Empty where nothing was signed here: something is under way that this browser knows nothing of. */
  readonly nonce: string
  readonly validBefore: number
}

/** A payment, from whom, and the address of the charge. */
export type Transfer = { readonly from: string; readonly to: string; readonly payment: PagePayment }

/** How wallets of a family send. */
export type Way = {
  /**
   * Has the wallet go to the payment's chain.
   *
   * @throws {Refusal} if it is elsewhere afterwards
   */
  readonly reach: (provider: Provider, payment: PagePayment, network: string) => Promise<void>
  /** Makes ready a transfer, as far as that sends nothing. */
  readonly prepare: (provider: Provider, transfer: Transfer) => Promise<Send>
  /** The network has taken it and it did nothing; `false` too where that is not known. */
  readonly hasReverted: (provider: Provider, txHash: string) => Promise<boolean>
}
