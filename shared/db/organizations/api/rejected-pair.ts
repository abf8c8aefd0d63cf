import { type Environment, type Pair, pairKey } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** The first pair that cannot be accepted now, by its position from 1, and the reason. */
export type RejectedPair = {
  readonly outcome: 'token_not_supported' | 'rpc_unavailable' | 'payment_temporarily_unavailable'
  readonly pairPosition: number
}

/**
 * Finds the first of these pairs that a charge cannot accept now; `null` if all can be accepted.
 *
 * Uses the function that `create_charges` calls, which decides in the end. This check is for callers that must read a
 * chain before.
 */
export async function findRejectedPair(
  db: Db,
  wanted: { readonly environment: Environment; readonly pairs: readonly Pair[] },
): Promise<RejectedPair | null> {
  const [row] = await db<RejectedPair[]>`
    select outcome, pair_position
    from find_rejected_pair(${wanted.environment}, ${wanted.pairs.map(pairKey)}::text[])`
  return row ?? null
}
