/** A payment that a payer signs and sends to the service. */
export type PlannedSignature = {
  /** Time after the creation of the charge. */
  readonly afterMs: number
  /** Validity of the signature. It can end between the broadcast and the block. */
  readonly validSeconds: number
  /** Time from the signature until a stranger submits the signature to the chain; `null` for never. */
  readonly strangerAfterMs: number | null
  /** Time until the payer cancels the signature on chain; `null` for never. */
  readonly canceledAfterMs: number | null
  /** Whether the payer reuses the nonce of their first signature. */
  readonly isNonceOld: boolean
}

/** A plan's payments by signature, by the index of the charge. */
export type SignaturePlan = { readonly signatures: ReadonlyMap<number, readonly PlannedSignature[]> }
