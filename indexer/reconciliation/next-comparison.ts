/**
 * Time for which range scans cover a charge after its creation or last activity (decisions 9.3). Late payments usually
 * arrive within a day, and a charge stays open for at most an hour (specification, "expiresIn"). Older charges are
 * compared instead.
 */
export const SCANNED_MS = 25 * 3_600_000

/** Time between two comparisons of a charge that must still pay out or settle. */
const URGENT_MS = 3_600_000
const DAY_MS = 86_400_000

/** Span of the charges that are compared every hour. */
const URGENT_SPAN = -1
/** A charge may join a batch early, by at most its interval divided by this number. */
const LEAD_DIVISOR = 4

export type ComparisonContext = {
  readonly chargeId: string
  /** Factor by which the age grows between two comparisons; depends on the chain family. */
  readonly growth: number
  /** Whether the charge has a held escrow, an unfinished settlement, an open payout or a held share. */
  readonly isUrgent: boolean
  /** The later of creation and last activity. */
  readonly activeAt: Date
  /** Time at which the balances were read; the current time for a charge that has just left the range scans. */
  readonly comparedAt: Date
  /** Whether the charge has just left the range scans. A hash of its id then selects its time within the interval. */
  readonly isFirst: boolean
}

/**
 * Returns when a charge is compared next. ONLY THIS FUNCTION DECIDES THIS (decisions 9.3); the database stores its
 * result.
 *
 * An urgent charge is compared every hour. Any other charge is compared when the time since its last activity has grown
 * by the factor. The first comparison is due at a pseudorandom time within its interval, so that neither an upgrade nor
 * a busy day makes all charges due together.
 *
 * @returns the time, and the span: -1 for an urgent charge, otherwise the base-2 logarithm of its age in days, rounded
 * down. All charges of a batch must have the same span
 */
export function scheduleComparison(terms: ComparisonContext) {
  const { chargeId, growth, isUrgent, activeAt, comparedAt, isFirst } = terms
  const part = isFirst ? partOf(chargeId) : 1
  const comparedMs = comparedAt.getTime()
  if (isUrgent) return { dueAt: new Date(comparedMs + Math.ceil(part * URGENT_MS)), span: URGENT_SPAN }
  const ageMs = Math.max(DAY_MS, comparedMs - activeAt.getTime())
  const dueMs = activeAt.getTime() + Math.floor(ageMs * growth ** part)
  return { dueAt: new Date(Math.max(comparedMs, dueMs)), span: Math.floor(Math.log2(ageMs / DAY_MS)) }
}

/** Returns how long before its due time a charge with this span may join a batch. */
export function getLeadMs(span: number): number {
  return (span === URGENT_SPAN ? URGENT_MS : DAY_MS * 2 ** span) / LEAD_DIVISOR
}

/** Returns a number from 0 to below 1, evenly distributed over ids (FNV-1a with 32 bits). */
function partOf(id: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  return (mix(hash) >>> 0) / 2 ** 32
}

/** Spreads the last characters over all bits (finalizer of MurmurHash3), because FNV-1a leaves them in the low bits. */
function mix(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}
