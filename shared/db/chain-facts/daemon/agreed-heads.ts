import type { Hex } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { isOpen } from '../../predicates.ts'

/** A block at confirmation depth that a quorum of operators agreed on. */
export type AgreedHead = {
  readonly number: number
  readonly hash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}

/**
 * Records a chain's confirmed head. A quorum must have agreed on the block, because its time decides which deadlines
 * have passed.
 */
export async function recordAgreedHead(
  db: Db,
  { chainId, block }: { readonly chainId: number; readonly block: AgreedHead },
): Promise<void> {
  await db`
    update deployments set agreed_head_number = ${block.number}, agreed_head_hash = ${block.hash},
      agreed_head_timestamp = ${block.timestamp}
    where chain_id = ${chainId}
      and (agreed_head_hash, agreed_head_timestamp) is distinct from (${block.hash}, ${block.timestamp})`
}

/**
 * Finds the feed's confirmed head if a quorum must agree on it now. There are two cases: the deadline of an open charge
 * has passed by the clock but not by the last agreed block, or an expiry verification, which reads balances at the
 * newest confirmed head, is due.
 *
 * @returns the block's number; `null` if no agreement is needed
 */
export async function findHeadToAgreeOn(db: Db, chainId: number): Promise<number | null> {
  const [row] = await db<{ confirmedHeadNumber: number }[]>`
    select d.confirmed_head_number from deployments d
    where d.chain_id = ${chainId} and d.abandoned_at is null and d.confirmed_head_number is not null and (
      exists (
        select from expiry_verifications e
        where e.chain_id = ${chainId} and e.result <> 'matched' and e.next_attempt_at <= now())
      or (d.confirmed_head_number <> coalesce(d.agreed_head_number, -1) and exists (
        select from charges c
        where ${isOpen(db, db`c.status`)} and ${chainId} = any (c.accepted_chains) and c.expires_at <= now()
          and c.expires_at > to_timestamp(coalesce((
            select a.agreed_head_timestamp from deployments a where a.chain_id = ${chainId}), 0)))))`
  return row?.confirmedHeadNumber ?? null
}

/**
 * Returns SQL for the time of the agreed confirmed head of the deployment `d`. The value is null while the feed's
 * confirmed head is below that block, because the feed might still lack rows of earlier blocks.
 */
export function selectAgreedTime(db: Db) {
  return db`case when d.confirmed_head_number >= d.agreed_head_number then to_timestamp(d.agreed_head_timestamp) end`
}
