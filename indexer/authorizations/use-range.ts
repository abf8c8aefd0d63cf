import type { FollowContext } from './authorization-context.ts'

/** So far one node of a chain is behind another, or a chain that is made shorter. */
export const MARGIN_MS = 60_000

/** What was signed holds for fifteen minutes at most, and is looked for so far back. */
export const LOOK_BACK_MS = 900_000

/** A chain makes its blocks no more than so many times as fast as we hold it for. */
const FASTER = 4

/** Answers in how many blocks an authorization can have been carried out at most, whatever a node says of their time. */
export function mostBlocksOfUse({
  confirmations,
  blockTimeMs,
}: Pick<FollowContext, 'confirmations' | 'blockTimeMs'>): number {
  return confirmations + FASTER * Math.ceil((LOOK_BACK_MS + 2 * MARGIN_MS) / blockTimeMs)
}
