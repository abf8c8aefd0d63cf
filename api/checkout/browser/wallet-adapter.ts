import type { PagePayment } from '../page-data.ts'

/** The interface of a wallet to a page (EIP-1193, TIP-1193). */
export type Provider = {
  readonly request: (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>
  /**
   * The tronweb of a TRON wallet, which builds, signs and sends transactions. It is replaced whenever the chain
   * changes.
   */
  readonly tronWeb?: unknown
}

/**
 * Sends the prepared payment and returns its hash. Throws a `WalletError` whose `mayBeSent` states whether the payment
 * might have been sent.
 */
export type Send = (() => Promise<string>) & {
  /** Set if the wallet only signs, and the service submits the signature. */
  readonly signed?: Signed
}

/** A signed authorization. It can be used once, and only before `validBefore` (Unix seconds). */
export type Signed = {
  readonly from: string
  /** Empty if the authorization was signed outside this browser. */
  readonly nonce: string
  readonly validBefore: number
}

/** A payment, its sender `from`, and the charge's address `to`. */
export type Transfer = { readonly from: string; readonly to: string; readonly payment: PagePayment }

export type WalletAdapter = {
  /**
   * Switches the wallet to the payment's chain.
   *
   * @throws {WalletError} if the wallet is on another chain afterwards
   */
  readonly reach: (provider: Provider, payment: PagePayment, network: string) => Promise<void>
  /** Prepares a transfer without sending it. */
  readonly prepare: (provider: Provider, transfer: Transfer) => Promise<Send>
  /** Returns whether the transaction was mined and failed; `false` also if that is unknown. */
  readonly hasReverted: (provider: Provider, txHash: string) => Promise<boolean>
}
