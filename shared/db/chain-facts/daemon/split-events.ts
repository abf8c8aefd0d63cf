import type { Address, Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'

/** A distribution of one pair, by any distributor. */
export type KnownDistribution = {
  readonly distributorAddress: Address
  readonly txHash: Hex
  /** Whether the distribution is at confirmation depth and was already deducted from the owed amount. */
  readonly isCounted: boolean
}

/** Finds the latest distribution of each payout's pair, at any depth, by payout id. */
export async function findLatestDistributions(
  db: Db,
  payoutIds: readonly number[],
): Promise<ReadonlyMap<number, KnownDistribution>> {
  const rows = await db<(KnownDistribution & { readonly payoutId: number })[]>`
    select distinct on (p.id) p.id as payout_id, e.account as distributor_address, e.tx_hash,
      e.applied_at is not null as is_counted
    from payouts p
    join split_events e on e.charge_id = p.charge_id and e.chain_id = p.chain_id and e.token_address = p.token_address
    where p.id = any (${payoutIds}) and e.kind = 'distributed' and e.inclusion = 'included'
    order by p.id, e.block_number desc, e.log_index desc`
  return new Map(rows.map(({ payoutId, ...distribution }) => [payoutId, distribution]))
}
