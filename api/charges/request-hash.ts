import { createHash } from 'node:crypto'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import { parseTargetAmount } from '../../shared/domain/money.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import type { ChargeParties } from './charge-parties.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/**
 * Returns the SHA-256 hash by which a repeated request is recognized.
 *
 * The hash covers the validated body with defaults and sorted names, so that spelling and the order of names make no
 * difference. It also covers the payout address, because a repeated request must never return a charge that pays
 * another wallet. Without an idempotency key the hash is empty, because the request never counts as repeated.
 *
 * @see decisions 3.2
 */
export function requestHash({ body, sourceOf }: CreateChargeRequest, parties: ChargeParties): Buffer {
  if (body.idempotencyKey === undefined) return NONE
  const terms = {
    ...body,
    // Exact, because two different amounts can have the same double.
    amount: parseTargetAmount(sourceOf(body, 'amount') ?? '').toString(),
    // A missing list is the same as an empty list.
    splitRecipients: (body.splitRecipients ?? []).map((entry) => ({
      ...entry,
      percent: canonicalPercent(sourceOf(entry, 'percent') ?? ''),
    })),
    metadata: parseSpelled(sourceOf(body, 'metadata') ?? 'null'),
    feePayer: body.feePayer ?? 'merchant',
    currency: 'USD',
    escrow: parties.releaser === null ? undefined : { releaserAddress: parties.releaser },
    payoutAddress: parties.payoutAddress,
  }
  return createHash('sha256').update(JSON.stringify(terms, sortNames)).digest()
}

const NONE = Buffer.alloc(0)

/**
 * Formats a percentage in units of 10^-12 percent, the finest unit when the first hashes were stored, because those
 * hashes must still match.
 */
function canonicalPercent(text: string): string | undefined {
  const percent = parsePercent(text, { maxFractionDigits: SPLIT_FRACTION_DIGITS })
  return percent === null ? undefined : formatDecimal(percent, SPLIT_FRACTION_DIGITS - 12)
}

const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/**
 * Parses JSON. A number that might have the same double as another number becomes a string that starts with NUL, which
 * no other string here contains.
 */
function parseSpelled(json: string): unknown {
  const spelled = json.replace(TEXT_OR_NUMBER, (token) =>
    token.startsWith('"') || isFaithful(token) ? token : `"\\u0000${token}"`,
  )
  return JSON.parse(spelled)
}

/** Returns whether the number has at most 15 significant digits, all of which a double preserves within its range. */
function isFaithful(token: string): boolean {
  const digits = token.replace(/[eE].*|[-.]/g, '').replace(/^0+/, '')
  const size = Math.abs(Number(token))
  return digits === '' || (digits.length <= 15 && size > 1e-300 && size < 1e300)
}

function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}
