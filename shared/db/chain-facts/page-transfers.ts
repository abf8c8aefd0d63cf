import type { Hex } from '../../domain/address.ts'
import type { AttoDollars } from '../../domain/money.ts'
import type { Pair } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'

/** A transfer that the page of its charge lists individually. */
export type PageTransfer = Pair & {
  readonly chargeId: string
  /**
   * `seen`: on an accepted pair, not late, and not credited yet. `late`: on an accepted pair, credited or not, in a
   * block at or after the deadline. `refused`: on a pair that the charge does not accept, so it is never credited.
   */
  readonly kind: 'seen' | 'late' | 'refused'
  readonly chainId: number
  readonly txHash: Hex
  readonly amountAtto: AttoDollars
  /** Sum of all transfers of this charge and kind, including transfers that are not listed. */
  readonly kindAtto: AttoDollars
  readonly isCredited: boolean
  /** Time of the transfer's block, in Unix seconds; `null` if unknown. */
  readonly blockTimestamp: number | null
  /** As in `PendingTransfer`. */
  readonly blocksSeen: number
  readonly blocksRequired: number
  readonly blockTimeMs: number
}

/** Maximum transfers shown per charge and kind, because strangers can send any number of tiny transfers. */
const MAX_SHOWN = 10

/** Lists the transfers that the pages of these charges show, the largest first for each charge and kind. */
export async function listPageTransfers(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly PageTransfer[]> {
  return await db<PageTransfer[]>`
    with of_kind as (
      select t.*, case
        when not t.accepted then 'refused'
        when ${isLate(db)} then 'late'
        when t.credited_at is null then 'seen' end as kind
      from transfers t
      join charges c on c.id = t.charge_id
      where t.charge_id = any (${chargeIds}) and (t.accepted and t.inclusion <> 'orphaned' or ${isRefused(db)})
    ), ranked as (
      select k.*, sum(k.amount_atto) over (partition by k.charge_id, k.kind) as kind_atto,
        row_number() over (partition by k.charge_id, k.kind order by k.amount_atto desc, k.id) as place
      from of_kind k where k.kind is not null
    )
    select r.charge_id, r.kind, d.network, d.chain_id, r.token, r.tx_hash, r.amount_atto, r.kind_atto, d.block_time_ms,
      r.credited_at is not null as is_credited, r.block_timestamp, d.confirmations as blocks_required,
      greatest(0, coalesce(d.head_number - r.block_number + 1, 0)) as blocks_seen
    from ranked r
    join deployments d on d.chain_id = r.chain_id
    where r.place <= ${MAX_SHOWN}
    order by r.charge_id, r.kind, r.amount_atto desc, r.id`
}

/**
 * Returns the condition that a transfer `t` of a charge `c` was too late (decisions 3.5). For a credited transfer, its
 * `on_time` decides; otherwise the time of its block.
 */
function isLate(db: Db) {
  return db`
    case when t.credited_at is null then t.block_timestamp >= extract(epoch from c.expires_at) else not t.on_time end`
}

/**
 * Returns the condition that a transfer `t` is shown as refused. Its token must be in `pairs`. Transfers from the
 * charge's own split or Safe are never shown, because no payer sent them (decisions 9.7).
 */
function isRefused(db: Db) {
  return db`
    (t.rejection_reason = 'pair_not_accepted' and t.inclusion = 'included'
      and exists (select from pairs p where p.chain_id = t.chain_id and p.token_address = t.token_address))`
}
