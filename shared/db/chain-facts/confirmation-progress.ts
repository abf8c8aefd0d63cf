import type { Network } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'

/** Confirmations of the transfer that will be credited next to a charge on one network. */
export type PendingTransfer = {
  readonly chargeId: string
  readonly network: Network
  /**
   * Blocks from the transfer's block to the feed's head, both included; 0 if the head is lower or unknown (decisions
   * 2.6).
   */
  readonly blocksSeen: number
  readonly blocksRequired: number
}

/**
 * For each charge and network, returns the progress of the deepest uncredited transfer on an accepted pair. When this
 * transfer is credited, a `charge` event follows.
 */
export async function listPendingTransfers(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly PendingTransfer[]> {
  return await db<PendingTransfer[]>`
    select t.charge_id, d.network, d.confirmations as blocks_required,
      greatest(0, coalesce(max(d.head_number - t.block_number) + 1, 0)) as blocks_seen
    from transfers t
    join deployments d on d.chain_id = t.chain_id
    where t.charge_id = any (${chargeIds}) and ${isPending(db)}
    group by t.charge_id, d.network, d.confirmations
    order by t.charge_id, d.network`
}

/** Returns the condition that a transfer `t` on an accepted pair is included and not credited yet. */
export function isPending(db: Db) {
  return db`t.accepted and t.inclusion = 'included' and t.credited_at is null`
}
