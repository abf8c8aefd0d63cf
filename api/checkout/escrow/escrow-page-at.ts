import type { Address } from '../../../shared/domain/address.ts'
import type { Checkout } from '../project.ts'
import type { Translator } from '../translate.ts'

/** The charge, and the request for which the page of its escrow is rendered. */
export type EscrowPageAt = {
  readonly checkout: Checkout
  readonly releaserAddress: Address
  readonly query: URLSearchParams
  readonly now: Date
  readonly words: Translator
  /** Path relative to the page; `null` if the page has no script. */
  readonly script: string | null
}
