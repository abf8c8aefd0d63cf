import type { Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { isUnconfirmed } from './at-depth.ts'

/** A transaction of which only the feed has told so far, and the highest block in which that has it. */
export type Unconfirmed = { readonly txHash: Hex; readonly blockNumber: number }

/**
 * Lists the transactions of a chain whose rows are deep by the feed's head alone, and wait to be credited or applied; by
 * their hashes, from the one after `after` on.
 */
export async function listUnconfirmed(
  db: Db,
  { chainId, after, limit }: { readonly chainId: number; readonly after: string; readonly limit: number },
): Promise<readonly Unconfirmed[]> {
  return await db<Unconfirmed[]>`
    select r.tx_hash, max(r.block_number) as block_number from (
      select t.tx_hash, t.block_number from transfers t join deployments d on d.chain_id = t.chain_id
      where t.chain_id = ${chainId} and t.credited_at is null and t.accepted and t.presence = 'present'
        and ${isUnconfirmed(db, 't')}
      union
      select e.tx_hash, e.block_number from split_events e join deployments d on d.chain_id = e.chain_id
      where e.chain_id = ${chainId} and e.applied_at is null and e.presence = 'present' and ${isUnconfirmed(db, 'e')}
    ) r
    where r.tx_hash > ${after} group by r.tx_hash order by r.tx_hash limit ${limit}`
}
