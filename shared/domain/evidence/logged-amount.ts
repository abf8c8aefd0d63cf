import type { EvidenceKind } from './evidence-kind.ts'

/** A counted row, as the database stores it. */
type CountedAmount = {
  readonly kind: EvidenceKind
  readonly amountAtomic: bigint
  /**
   * The part of an escrow transfer that is less than one unit of the token, in 10^-18 dollars; zero for other kinds.
   */
  readonly dustAtto: bigint
}

/** Decimals of a token, and of the contract that logs its transfers: they differ on arc. */
type Decimals = { readonly token: number; readonly emitter: number }

/**
 * Returns the amount in the log of a counted row. The amounts of credits and split events are stored as they were
 * logged. An escrow transfer is stored as whole units of the token and a rest, which are converted to the emitter's
 * units.
 */
export function getLoggedAmount({ kind, amountAtomic, dustAtto }: CountedAmount, decimals: Decimals): bigint {
  if (kind !== 'escrow_release' && kind !== 'escrow_refund') return amountAtomic
  return amountAtomic * 10n ** BigInt(decimals.emitter - decimals.token) + dustAtto
}
