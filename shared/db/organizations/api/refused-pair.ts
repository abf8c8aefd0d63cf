import { type Environment, type Pair, pairKey } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** The first pair that cannot be accepted now, by its position from 1, and why. */
export type RefusedPair = {
  readonly outcome: 'token_not_supported' | 'rpc_unavailable' | 'payment_temporarily_unavailable'
  readonly pairPosition: number
}

/**
 * Finds the first of these pairs that a charge cannot accept now, or answers `null`.
 *
 * By the function that `create_charges` asks, which has the last word: this is for those who must ask a chain in between.
 */
export async function findRefusedPair(
  db: Db,
  wanted: { readonly environment: Environment; readonly pairs: readonly Pair[] },
): Promise<RefusedPair | null> {
  const [row] = await db<RefusedPair[]>`
    select outcome, pair_position
    from refused_pair(${wanted.environment}, ${wanted.pairs.map(pairKey)}::text[])`
  return row ?? null
}
