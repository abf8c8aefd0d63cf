import type { Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { isOpen } from '../../laws.ts'

/** A block at confirmation depth, as a quorum of operators shows it. */
export type DeepBlockRow = {
  readonly number: number
  readonly hash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}

/** Records the deep block of a chain. Call it only with a block that a quorum agreed on: deadlines pass by its time. */
export async function recordAgreedDeepBlock(
  db: Db,
  { chainId, block }: { readonly chainId: number; readonly block: DeepBlockRow },
): Promise<void> {
  await db`
    update deployments set agreed_deep_number = ${block.number}, agreed_deep_hash = ${block.hash},
      agreed_deep_timestamp = ${block.timestamp}
    where chain_id = ${chainId}
      and (agreed_deep_hash, agreed_deep_timestamp) is distinct from (${block.hash}, ${block.timestamp})`
}

/**
 * Finds the feed's deep block if a quorum must be asked for it: an open charge's deadline is over by the clock and not
 * by the agreed block, or evidence is due, which is read at the newest deep block.
 *
 * @returns the block's number; `null` if no node needs to be asked
 */
export async function findDeepBlockToAgreeOn(db: Db, chainId: number): Promise<number | null> {
  const [row] = await db<{ deepNumber: number }[]>`
    select d.deep_number from deployments d
    where d.chain_id = ${chainId} and d.abandoned_at is null and d.deep_number is not null and (
      exists (
        select from balance_evidence e
        where e.chain_id = ${chainId} and e.result <> 'clear' and e.next_at <= now())
      or (d.deep_number <> coalesce(d.agreed_deep_number, -1) and exists (
        select from charges c
        where ${isOpen(db, db`c.status`)} and ${chainId} = any (c.accepted_chains) and c.expires_at <= now()
          and c.expires_at > to_timestamp(coalesce((
            select a.agreed_deep_timestamp from deployments a where a.chain_id = ${chainId}), 0)))))`
  return row?.deepNumber ?? null
}

/**
 * The time of a deployment's (`d`) agreed deep block; null before the feed has applied that block, because the rows of the
 * blocks below it might still be unknown.
 */
export function deepTime(db: Db) {
  return db`case when d.deep_number >= d.agreed_deep_number then to_timestamp(d.agreed_deep_timestamp) end`
}
