import type { RefundRecord } from '../../../shared/domain/refund/refund.ts'
import type { Choice } from '../payment-choice.ts'
import type { Checkout } from '../project.ts'
import type { Translator } from '../translate.ts'

/** The steps of the payer on the page of a refund. */
export type ClaimStep =
  /** The payer enters an address. `problem` is the reason why the previous address was not accepted. */
  | { readonly name: 'ask'; readonly typed: string; readonly problem: ClaimProblem | null }
  /** The payer compares the address, shown in the format of its chain family, before it is sent. */
  | { readonly name: 'review'; readonly address: string; readonly typedData: object | null }
  | { readonly name: 'follow' }

export type ClaimProblem = 'invalid' | 'refused' | 'notProven' | 'later'

/** A refund, and the hash of the secret in the link to its page. */
export type Linked = { readonly refund: RefundRecord; readonly claimHash: string }

/** A refund, and the request for which its page is rendered. */
export type ClaimAt = {
  readonly refund: RefundRecord
  readonly checkout: Checkout
  readonly step: ClaimStep
  readonly choice: Choice
  readonly now: Date
  readonly words: Translator
  /** Path relative to the page; `null` if the page has no script. */
  readonly script: string | null
}
