/**
 * Minimum remaining validity of a signature, in seconds, in addition to the time of two blocks. The payment must still
 * be sent, and must be in a block before `validBefore`. Source: the six seconds of x402 2.27's facilitator.
 */
const MIN_SECONDS = 6n
const MIN_BLOCKS = 2n

/** Maximum remaining validity, in seconds. While an authorization is valid and unused, no other is requested. */
const MAX_SECONDS = 900n

/** Validity offered to a payer, in seconds: enough for a person to sign, but soon over if the payment fails. */
const OFFERED_SECONDS = 300
/**
 * Seconds between the end of a signature and the charge's expiry, so that the payment is mined before the charge
 * expires.
 */
const RESERVED_SECONDS = 60

/** Minimum time until the charge's expiry, in seconds, for which signing is offered. */
export const MIN_SECONDS_LEFT = 2 * RESERVED_SECONDS

/** Inputs of a window check. Both times are wall-clock times; the token compares the window with block times. */
export type WindowBounds = {
  readonly now: Date
  readonly expiresAt: Date
  readonly blockTimeMs: number
}

/**
 * Returns the problem of an authorization's window, or `null` if there is none.
 *
 * An accepted `validBefore` is never after `expiresAt`, so the payment is mined before the charge expires or never.
 * Once a block past `expiresAt` is confirmed, it is certain whether the charge was paid.
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

/** Returns the maximum `validBefore` at a time. It never decreases later, so an accepted value stays acceptable. */
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

function toSeconds(moment: Date): bigint {
  return BigInt(Math.floor(moment.getTime() / 1000))
}

function earliest(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
