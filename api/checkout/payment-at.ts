import type { Payment } from './list-payments.ts'
import type { Choice } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

/** A charge for which the page requests a payment. */
export type Payable = Checkout & { readonly howToPay: NonNullable<Checkout['howToPay']> }

/** The state of the page in which the ways to pay are rendered. */
export type PaymentAt = {
  readonly choice: Choice
  readonly payment: Payment
  readonly words: Translator
  readonly now: Date
  /** The page's own address; the payer opens it on a phone or in a wallet. */
  readonly pageUrl: string
  /** Whether the page offers links to wallet apps, whose vendors might learn the page's address. */
  readonly hasWalletLinks: boolean
}
