import type { EvidenceKind } from './evidence-kind.ts'

type CountedAmount = {
  readonly kind: EvidenceKind
  readonly amountAtomic: bigint
  /** Remainder of an escrow transfer below the token's smallest unit, in 10^-18 dollars; zero for other kinds. */
  readonly dustAtto: bigint
}

/** Decimals of a token, and of the contract that logs its transfers. They differ on arc. */
type Decimals = { readonly token: number; readonly emitter: number }

/**
 * Returns the amount that the log contains. Amounts of credits and split events are stored as logged. An escrow
 * transfer is stored as units of the token plus a remainder, which are combined into units of the emitter.
 */
export function getLoggedAmount({ kind, amountAtomic, dustAtto }: CountedAmount, decimals: Decimals): bigint {
  if (kind !== 'escrow_release' && kind !== 'escrow_refund') return amountAtomic
  return amountAtomic * 10n ** BigInt(decimals.emitter - decimals.token) + dustAtto
}
