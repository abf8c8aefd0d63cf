import { type Environment, type Pair, pairKey } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** Position of a pair that cannot be accepted now, counted from 1, and the reason. */
export type RejectedPair = {
  readonly outcome: 'token_not_supported' | 'rpc_unavailable' | 'payment_temporarily_unavailable'
  readonly pairPosition: number
}

/**
 * Finds the first of these pairs that is not supported; if all are supported, the first that is temporarily
 * unavailable. Returns `null` if a charge can accept all pairs now.
 *
 * For callers that must query a chain before they create the charge. `create_charges` checks again with the same SQL
 * function.
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
