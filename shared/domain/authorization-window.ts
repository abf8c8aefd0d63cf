/**
 * From now on what a payer signs must hold so long at least, beside two blocks: it is sent, and the token wants a block
 * earlier than `validBefore`. Source: x402 2.27, the six seconds of its facilitator.
 */
const LEAST_SECONDS = 6n
const LEAST_BLOCKS = 2n

/** It may not hold longer: until it ends or is spent, nobody is asked for another. */
const MOST_SECONDS = 900n

/** What is offered: enough for a person to sign, and over soon if nothing comes of it. */
const OFFERED_SECONDS = 300
/** Left at the end for it to be mined before the charge expires; below it nothing is offered. */
const RESERVED_SECONDS = 60

/** When something may be valid; times of charges are wall time, and the token's are of blocks. */
export type WindowBounds = {
  readonly now: Date
  readonly expiresAt: Date
  readonly blockTimeMs: number
}

/**
 * Answers what is wrong with the window of an authorization, or `null`.
 *
 * `validBefore` is never after `expiresAt`, so it is mined in time or never; past it, at depth, "not paid" is a fact.
 */
export function findWindowProblem(
  { validAfter, validBefore }: { readonly validAfter: bigint; readonly validBefore: bigint },
  { now, expiresAt, blockTimeMs }: WindowBounds,
): { readonly param: 'validAfter' | 'validBefore'; readonly problem: string } | null {
  const nowSeconds = secondsOf(now)
  if (validAfter > nowSeconds) {
    return { param: 'validAfter', problem: `is ${validAfter}: must be at most ${nowSeconds}, which is now` }
  }
  const blocks = (BigInt(blockTimeMs) * LEAST_BLOCKS + 999n) / 1000n
  const least = nowSeconds + LEAST_SECONDS + blocks
  const most = latestEnd({ now, expiresAt })
  if (validBefore >= least && validBefore <= most) return null
  return { param: 'validBefore', problem: `is ${validBefore}: must be from ${least} to ${most}` }
}

/** Answers the latest `validBefore` that there may be now; what was as early once is so ever after. */
export function latestEnd({ now, expiresAt }: Pick<WindowBounds, 'now' | 'expiresAt'>): bigint {
  return smaller(secondsOf(expiresAt), secondsOf(now) + MOST_SECONDS)
}

/** Answers for how many seconds a payer is asked to sign now, or `null` if too few are left for it. */
export function offeredSeconds({ now, expiresAt }: Pick<WindowBounds, 'now' | 'expiresAt'>): number | null {
  const left = Number(secondsOf(expiresAt) - secondsOf(now)) - RESERVED_SECONDS
  const offered = Math.min(OFFERED_SECONDS, left)
  return offered < RESERVED_SECONDS ? null : offered
}

/** Whole seconds, the rest cut off. */
function secondsOf(moment: Date): bigint {
  return BigInt(Math.floor(moment.getTime() / 1000))
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
