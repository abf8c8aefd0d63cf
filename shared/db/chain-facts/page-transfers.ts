import type { Hex } from '../../domain/address.ts'
import type { AttoDollars } from '../../domain/money.ts'
import type { Pair } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'
import { isSeen } from './seen-amount.ts'

/** A transfer to a charge that its page shows one by one. */
export type PageTransfer = Pair & {
  readonly chargeId: string
  /**
   * `seen`: on an accepted pair, and not credited yet. `refused`: on a pair that the charge does not accept, so it is
   * never credited.
   */
  readonly kind: 'seen' | 'refused'
  readonly chainId: number
  readonly txHash: Hex
  readonly amountAtto: AttoDollars
  /** As in `PendingTransfer`. */
  readonly blocksSeen: number
  readonly blocksRequired: number
  readonly blockTimeMs: number
}

/** Transfers shown per charge and kind, the largest first: strangers can send any number of tiny ones. */
const MAX_SHOWN = 10

/** Lists the transfers that the pages of these charges show, per charge the largest first. */
export async function listPageTransfers(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly PageTransfer[]> {
  return await db<PageTransfer[]>`
    select charge_id, kind, network, chain_id, token, tx_hash, amount_atto, blocks_seen, blocks_required, block_time_ms
    from (
      select t.charge_id, ${kindOf(db)} as kind, d.network, d.chain_id, t.token, t.tx_hash, t.amount_atto, d.block_time_ms, t.id,
        d.confirmations as blocks_required,
        greatest(0, coalesce(d.head_number - t.block_number + 1, 0)) as blocks_seen,
        row_number() over (partition by t.charge_id, ${kindOf(db)} order by t.amount_atto desc, t.id) as place
      from transfers t
      join deployments d on d.chain_id = t.chain_id
      where t.charge_id = any (${chargeIds}) and (${isSeen(db)} or ${isRefused(db)})) shown
    where place <= ${MAX_SHOWN}
    order by charge_id, kind, amount_atto desc, id`
}

function kindOf(db: Db) {
  return db`case when t.accepted then 'seen' else 'refused' end`
}

/** The charge's own money, returned from its split or Safe, is no payer's transfer and is not shown (decisions 9.7). */
function isRefused(db: Db) {
  return db`(not t.accepted and t.rejection_reason is distinct from 'own_money' and t.inclusion = 'included')`
}
