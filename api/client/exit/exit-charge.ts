import type { Address } from '../../../shared/domain/address.ts'
import { type CheckedTerms, checkTerms } from '../check-address.ts'
import { isObject, readChargeTerms } from '../read-charge-terms.ts'

/** A charge in the archive. Its addresses match its terms. */
export type ExitCharge = CheckedTerms & {
  readonly id: string
  /** Unix seconds; 0 if the archived record contains no valid time. */
  readonly createdAt: number
  /** The only owner of the escrow's Safe; `null` for a charge without escrow. */
  readonly releaser: Address | null
  /** Whether a webhook with the service's signature contained these terms. */
  readonly isSigned: boolean
}

/**
 * Parses a charge of an archive and recomputes its addresses from its terms.
 *
 * Anyone who can write into the archive can add charges, but cannot change the recipients of an existing split. A Safe
 * does not commit to a split, so a forged charge can name a different split for the Safe of an escrow.
 *
 * @param known.factory - trusted factory of a chain family without a fixed factory
 * @throws {AddressMismatch} naming the field, its value and the expected value
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

/** Returns whether a JSON value is an object with `addressTerms`. */
export function isCharge(json: unknown): boolean {
  return isObject(json) && isObject(json['addressTerms'])
}

function readTime(value: unknown): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) && ms > 0 ? Math.floor(ms / 1000) : 0
}
