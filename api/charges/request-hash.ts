import { createHash } from 'node:crypto'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import { KEY_FAMILY } from '../../shared/domain/families/families.ts'
import { parseTargetAmount } from '../../shared/domain/money.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import { type CreateChargeRequest, familyOf } from './draft-charge.ts'

/**
 * Answers the SHA-256 by which a repeated request is known to be the same one.
 *
 * Of the validated body with its defaults and its names sorted, so that neither spelling nor order makes a
 * difference, and of the payout
 * address that its charge pays: a replay must never hand out a charge that pays another wallet. Empty for a request without idempotency key,
 * which is never the same as another.
 *
 * @see decisions 3.2
 */
export function requestHash({ key, body, sourceOf }: CreateChargeRequest): Buffer {
  if (body.idempotencyKey === undefined) return NONE
  const terms = {
    ...body,
    // Exact, because two amounts may be one double.
    amount: parseTargetAmount(sourceOf(body, 'amount') ?? '').toString(),
    // None given is none.
    splitRecipients: (body.splitRecipients ?? []).map((entry) => ({
      ...entry,
      percent: canonicalPercent(sourceOf(entry, 'percent') ?? ''),
    })),
    metadata: parseSpelled(sourceOf(body, 'metadata') ?? 'null'),
    feePayer: body.feePayer ?? 'merchant',
    currency: 'USD',
    escrow: body.escrow && {
      releaserAddress: body.escrow.releaserAddress ?? key.payoutAddresses[KEY_FAMILY],
    },
    payoutAddress: key.payoutAddresses[familyOf(body)],
  }
  return createHash('sha256').update(JSON.stringify(terms, sortNames)).digest()
}

const NONE = Buffer.alloc(0)

/** In 10^-12 percent, as it was when those were the finest: what was hashed then must be known again. */
function canonicalPercent(text: string): string | undefined {
  const percent = parsePercent(text, { maxFractionDigits: SPLIT_FRACTION_DIGITS })
  return percent === null ? undefined : formatDecimal(percent, SPLIT_FRACTION_DIGITS - 12)
}

const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** Parses JSON; a number that is not exactly a double stays the text it was, after a NUL, which no text of ours has. */
function parseSpelled(json: string): unknown {
  const spelled = json.replace(TEXT_OR_NUMBER, (token) =>
    token.startsWith('"') || isFaithful(token) ? token : `"\\u0000${token}"`,
  )
  return JSON.parse(spelled)
}

/** Numbers of up to 15 significant digits are told apart as doubles, unless they are out of their range. */
function isFaithful(token: string): boolean {
  const digits = token.replace(/[eE].*|[-.]/g, '').replace(/^0+/, '')
  const size = Math.abs(Number(token))
  return digits === '' || (digits.length <= 15 && size > 1e-300 && size < 1e300)
}

function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}
