import type { Address } from '../../../shared/domain/address.ts'
import { type CheckedTerms, checkTerms } from '../check-address.ts'
import { isObject, readChargeTerms } from '../read-charge-terms.ts'

/** A charge of the archive, whose addresses match its terms. */
export type ExitCharge = CheckedTerms & {
  readonly id: string
  /** Unix seconds; 0 if the record contains no valid time. */
  readonly createdAt: number
  /** The only owner of the escrow's Safe; `null` without escrow. */
  readonly releaser: Address | null
  /** Whether a webhook with the service's signature contained these terms. */
  readonly isSigned: boolean
}

/**
 * Parses a charge of an archive and recomputes its addresses from its terms.
 *
 * Anyone who can write into the archive can add their own charges, but they cannot change who is paid by the split of
 * an existing charge. A Safe does not commit to a split: anyone can name a different split for the Safe of an escrow.
 *
 * @param known.factory - trusted factory of a family without a fixed one
 * @throws {AddressMismatch} naming the field, its value and what it must be
 */
export function parseExitCharge(
  json: unknown,
  known: { readonly factory?: string | undefined; readonly isSigned?: boolean } = {},
): ExitCharge {
  const charge = readChargeTerms(json)
  const checked = checkTerms(charge, known)
  const { safe } = charge.addressTerms
  return {
    ...checked,
    isSigned: known.isSigned ?? false,
    id: charge.id,
    createdAt: readTime(Object(json)['createdAt']),
    // The Safe's address commits to its owner.
    releaser: safe === null ? null : (safe.owner.toLowerCase() as Address),
  }
}

/** Returns whether a JSON value has `addressTerms`, as a charge has. */
export function isCharge(json: unknown): boolean {
  return isObject(json) && isObject(json['addressTerms'])
}

function readTime(value: unknown): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) && ms > 0 ? Math.floor(ms / 1000) : 0
}
