import { type Environment, type Pair, pairKey } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'

/** The first pair that cannot be accepted now, by its position from 1, and why. */
export type RefusedPair = {
  readonly outcome: 'token_not_supported' | 'rpc_unavailable' | 'payment_temporarily_unavailable'
  readonly pairPosition: number
}

/**
 * Finds the first of these pairs that a charge cannot accept now, or answers `null`.
 *
 * By the same rules as `create_charges`, which has the last word: this is for those who must ask a chain in between.
 */
export async function findRefusedPair(
  db: Db,
  wanted: { readonly environment: Environment; readonly pairs: readonly Pair[] },
): Promise<RefusedPair | null> {
  const [row] = await db<RefusedPair[]>`
    select s.outcome, s.pair_position
    from (
      select a.position::int as pair_position,
        case when p.enabled is not true or d.contracts_match is false then 'token_not_supported'
             when d.contracts_match is null then 'rpc_unavailable'
             when p.paused_at is not null then 'payment_temporarily_unavailable' end as outcome
      from unnest(${wanted.pairs.map(pairKey)}::text[]) with ordinality as a (pair, position)
      left join pairs p on p.token || '/' || p.network = a.pair and p.environment = ${wanted.environment}
      left join deployments d on d.chain_id = p.chain_id
    ) s
    where s.outcome is not null
    order by s.outcome <> 'token_not_supported', s.pair_position
    limit 1`
  return row ?? null
}
