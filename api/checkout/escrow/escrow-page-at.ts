import type { Address } from '../../../shared/domain/address.ts'
import type { Checkout } from '../project.ts'
import type { Translator } from '../translate.ts'

/** The charge, and the request for which the page of its escrow is rendered. */
export type EscrowPageAt = {
  readonly checkout: Checkout
  readonly releaserAddress: Address
  /** The query of the page's address. */
  readonly query: URLSearchParams
  readonly now: Date
  readonly words: Translator
  /** Path of the page's script relative to the page; `null` if there is no script. */
  readonly script: string | null
}
