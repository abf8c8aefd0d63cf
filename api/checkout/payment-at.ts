import type { Payment } from './list-payments.ts'
import type { Choice } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import type { Translator } from './translate.ts'

/** A charge for which the page requests a payment. */
export type Payable = Checkout & { readonly howToPay: NonNullable<Checkout['howToPay']> }

/** Everything needed to render a way to pay, except the charge. */
export type PaymentAt = {
  readonly choice: Choice
  readonly payment: Payment
  readonly words: Translator
  readonly now: Date
  /** The page's own URL, which the payer opens on a phone or in a wallet. */
  readonly pageUrl: string
  /** Whether the page offers links to wallet apps, whose vendors might receive the page's URL. */
  readonly hasWalletLinks: boolean
}
