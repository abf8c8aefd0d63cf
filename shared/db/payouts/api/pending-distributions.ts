import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import { owedAtomic } from '../../predicates.ts'
import { type PayoutRow, payoutColumns, payoutTables } from '../payouts.ts'

/** A payout that any account may distribute now. */
export type ClaimableDistribution = PayoutRow & {
  /** `availableSince` in Unix microseconds, for cursors, because a `Date` has only milliseconds. */
  readonly availableSinceMicros: number
}

/** Position of the last entry of a page. */
export type DistributionPosition = { readonly availableSinceMicros: number; readonly payoutId: number }

/**
 * Lists the claimable distributions of all organizations in an environment, longest available first, after `after`.
 *
 * Includes payouts that our worker no longer attempts, because any account may still distribute them. Excludes held
 * payouts, because they cannot be paid.
 */
export async function listClaimableDistributions(
  db: Db,
  input: { environment: Environment; after: DistributionPosition | null; limit: number },
): Promise<readonly ClaimableDistribution[]> {
  const { environment, after, limit } = input
  return await db<ClaimableDistribution[]>`
    select ${payoutColumns(db)},
      (extract(epoch from p.available_since) * 1000000)::bigint as available_since_micros
    from ${payoutTables(db)}
    where p.environment = ${environment} and p.status in ('pending', 'failed') and p.held_since is null
      and ${owedAtomic(db)} > 0
      ${
        after === null
          ? db``
          : db`and (p.available_since, p.id)
            > ('epoch'::timestamptz + ${after.availableSinceMicros}::bigint * interval '1 microsecond',
               ${after.payoutId}::bigint)`
      }
    order by p.available_since, p.id
    limit ${limit}`
}
