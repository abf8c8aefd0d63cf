/**
 * Minimum remaining validity of a signature, in seconds, in addition to two blocks. The payment must still be sent, and
 * the token requires a block before `validBefore`. Source: x402 2.27, the six seconds of its facilitator.
 */
const MIN_SECONDS = 6n
const MIN_BLOCKS = 2n

/**
 * Maximum remaining validity, in seconds. Until an authorization ends or is used, the payer is not asked for another
 * authorization.
 */
const MAX_SECONDS = 900n

/**
 * Validity that is offered, in seconds: long enough for a person to sign, and short enough to end soon if the payment
 * fails.
 */
const OFFERED_SECONDS = 300
/**
 * Seconds before the charge's expiry by which a signature must end, so that the payment is mined before the charge
 * expires. If less time remains, signing is not offered.
 */
const RESERVED_SECONDS = 60

/** Minimum time before the charge's expiry at which signing is offered, in seconds: twice the reserved time. */
export const MIN_SECONDS_LEFT = 2 * RESERVED_SECONDS

/** Inputs of a validity window. The times of a charge are wall time; the token's times are block times. */
export type WindowBounds = {
  readonly now: Date
  readonly expiresAt: Date
  readonly blockTimeMs: number
}

/**
 * Returns the problem of an authorization's window, or `null` if there is none.
 *
 * `validBefore` is never after `expiresAt`, so the payment is either mined in time or never. Once a block past
 * `expiresAt` is confirmed, it is certain whether the charge was paid.
 */
export function findWindowProblem(
  { validAfter, validBefore }: { readonly validAfter: bigint; readonly validBefore: bigint },
  { now, expiresAt, blockTimeMs }: WindowBounds,
): { readonly param: 'validAfter' | 'validBefore'; readonly problem: string } | null {
  const nowSeconds = toSeconds(now)
  if (validAfter > nowSeconds) {
    return {
      param: 'validAfter',
      problem: `is ${validAfter}: must be at most ${nowSeconds}, the current time`,
    }
  }
  const blocks = (BigInt(blockTimeMs) * MIN_BLOCKS + 999n) / 1000n
  const least = nowSeconds + MIN_SECONDS + blocks
  const most = getMaxValidBefore({ now, expiresAt })
  if (validBefore >= least && validBefore <= most) return null
  return { param: 'validBefore', problem: `is ${validBefore}: must be from ${least} to ${most}` }
}

/** Returns the maximum `validBefore` at the given time. It never decreases, so an accepted value stays acceptable. */
export function getMaxValidBefore({ now, expiresAt }: Pick<WindowBounds, 'now' | 'expiresAt'>): bigint {
  return earliest(toSeconds(expiresAt), toSeconds(now) + MAX_SECONDS)
}

/** Returns the validity to offer to a payer now, in seconds, or `null` if too little time remains. */
export function findValiditySeconds({
  now,
  expiresAt,
}: Pick<WindowBounds, 'now' | 'expiresAt'>): number | null {
  const left = Number(toSeconds(expiresAt) - toSeconds(now))
  return left < MIN_SECONDS_LEFT ? null : Math.min(OFFERED_SECONDS, left - RESERVED_SECONDS)
}

/** Returns whole Unix seconds, rounded down. */
function toSeconds(moment: Date): bigint {
  return BigInt(Math.floor(moment.getTime() / 1000))
}

function earliest(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
