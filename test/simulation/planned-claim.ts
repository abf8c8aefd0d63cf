/** A refund whose destination the payer names through a link, and the behavior of the payer and the merchant. */
export type PlannedClaim = {
  /** Time after the deadline of the charge at which the refund is declared. */
  readonly delayMs: number
  readonly amount: string
  /** The accepted pair that the request names; `null` for the only paid pair. */
  readonly pairIndex: number | null
  /** Time from the receipt of a link until the payer opens it. */
  readonly opensAfterMs: number
  /** When the merchant replaces the first link: before sending it, or while the payer uses it; `null` for never. */
  readonly renews: 'before' | 'meanwhile' | null
  /** Whether the payer first gives an address that is forbidden for every refund. */
  readonly isFirstForbidden: boolean
  /** Whether the payer gives a second address at the same time, through the same link. */
  readonly givesTwo: boolean
  /** Whether the payer gives an address that other refunds also use. */
  readonly isShared: boolean
  /** Number of addresses that the merchant rejects before they approve one. */
  readonly rejections: number
  /** Whether the merchant first approves an address that the payer did not give. */
  readonly mistakes: boolean
  /** Whether a stranger uses every link that was replaced. */
  readonly isOldLinkUsed: boolean
  /**
   * How the refund ends, unless it is paid: `early` before the payer gives an address, `late` before the approval, and
   * `last` after the approval.
   */
  readonly end: ClaimEnd | null
  /** Times after the approval at which the wallet pays. */
  readonly paysAfterMs: readonly number[]
  /** Time after the approval at which the merchant cancels; `null` for never. */
  readonly cancelsAfterMs: number | null
}

export type ClaimEnd =
  | 'early cancellation'
  | 'late cancellation'
  | 'early deadline'
  | 'late deadline'
  | 'last deadline'

/** A plan's refunds with claims, by the index of the charge. */
export type ClaimPlan = { readonly claims: ReadonlyMap<number, readonly PlannedClaim[]> }
