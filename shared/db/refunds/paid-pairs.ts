import type { Fragment } from 'postgres'
import type { Pair } from '../../domain/networks.ts'
import type { RefundRecord } from '../../domain/refund/refund.ts'
import type { RefundBasis } from '../../domain/refund/refund-limits.ts'
import type { Db } from '../connect.ts'

/** A pair on which a charge was paid, on its chain or in the sandbox, with the sums that limit its refunds. */
export type PaidPair = Pair & RefundBasis & Pick<RefundRecord, 'chainId' | 'tokenAddress' | 'decimals'>

/**
 * Lists the pairs on which a charge was paid. For an escrow charge, only money that was paid out counts as received,
 * because the rest can be refunded out of the escrow. A caller that decides by the result must hold the charge's lock.
 *
 * Sandbox payments have no token contract. They are listed as separate pairs, with 18 decimals.
 *
 * @param query.exceptId - id of a refund that the sums do not include
 */
export async function listPaidPairs(
  db: Db,
  { chargeId, exceptId = null }: { readonly chargeId: string; readonly exceptId?: string | null },
): Promise<readonly PaidPair[]> {
  const isEnded = db`(r.canceled_at is not null or r.expired_at is not null)`
  const isWaiting = db`r.status not in ('confirmed', 'canceled', 'expired')`
  const sumOf = (amount: Fragment, condition: Fragment) => db`
    coalesce((
      select sum(${amount}) from refunds r
      where r.charge_id = x.charge_id and r.network = x.network and r.token = x.token
        and r.chain_id is not distinct from x.chain_id and r.id is distinct from ${exceptId} and ${condition}), 0)`
  return db<PaidPair[]>`
    select x.network, x.token, x.chain_id, x.token_address, x.decimals, x.received_atomic,
      ${sumOf(db`r.amount_atomic`, db`${isWaiting} and not ${isEnded}`)} as open_atomic,
      ${sumOf(db`r.amount_atomic`, db`${isWaiting} and ${isEnded}`)} as late_atomic,
      ${sumOf(db`r.counted_atomic`, db`r.status = 'confirmed'`)} as counted_atomic
    from (
      select l.charge_id, l.network, l.token, l.chain_id, l.token_address, p.decimals,
        case when c.escrow_releaser is null then l.credited_atomic
          else greatest(0, least(l.credited_atomic - coalesce((
            select sum(m.amount_atomic) from escrow_transfers m
            where m.charge_id = l.charge_id and m.chain_id = l.chain_id and m.token_address = l.token_address
              and m.applied_at is not null and m.recipient <> c.split_address), 0), l.distributed_atomic)) end as received_atomic
      from charge_ledgers l
      join charges c on c.id = l.charge_id
      join pairs p on p.chain_id = l.chain_id and p.token_address = l.token_address
      where l.charge_id = ${chargeId} and l.credited_atomic > 0
      union all
      select t.charge_id, t.network, t.token, null, null, 18,
        case when c.escrow_releaser is null or c.escrow_released_at is not null then sum(t.amount_atto) else 0 end
      from transfers t join charges c on c.id = t.charge_id
      where t.charge_id = ${chargeId} and t.chain_id is null and t.credited_at is not null
      group by t.charge_id, t.network, t.token, c.escrow_releaser, c.escrow_released_at) x
    order by x.network, x.token, x.chain_id nulls last`
}
