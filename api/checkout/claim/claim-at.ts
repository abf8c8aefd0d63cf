import type { RefundRecord } from '../../../shared/domain/refund/refund.ts'
import type { Choice } from '../payment-choice.ts'
import type { Checkout } from '../project.ts'
import type { Translator } from '../translate.ts'

/** The step of the payer on the page of a refund. */
export type ClaimStep =
  /** The payer enters an address; `problem` is the reason why the last address was not accepted. */
  | { readonly name: 'ask'; readonly typed: string; readonly problem: ClaimProblem | null }
  /** The payer compares the address, in the notation of its family, before it is sent. */
  | { readonly name: 'review'; readonly address: string; readonly typedData: object | null }
  /** The payer follows the progress of the refund. */
  | { readonly name: 'follow' }

/** The reason why an address was not accepted. */
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
  /** Path of the page's script relative to the page; `null` if there is no script. */
  readonly script: string | null
}
