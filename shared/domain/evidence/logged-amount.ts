import type { EvidenceKind } from './evidence-kind.ts'

/** A counted row, as the database stores it. */
type CountedAmount = {
  readonly kind: EvidenceKind
  readonly amountAtomic: bigint
  /** Of an escrow transfer: less than a unit of the token, in 10^-18 dollars. */
  readonly dustAtto: bigint
}

/** Decimals of a token, and of the contract that logs its transfers: they differ on arc. */
type Decimals = { readonly token: number; readonly emitter: number }

/**
 * Returns the amount in the log of a counted row. A credit is stored as logged, a split logs units of the token, and an
 * escrow transfer is stored in units of the token and dust.
 */
export function getLoggedAmount({ kind, amountAtomic, dustAtto }: CountedAmount, decimals: Decimals): bigint {
  if (kind !== 'escrow_release' && kind !== 'escrow_refund') return amountAtomic
  return amountAtomic * 10n ** BigInt(decimals.emitter - decimals.token) + dustAtto
}
