import type { Sql } from '../../shared/db/connect.ts'

/**
 * Writes the daemon's records that allow open charges to expire, for tests without a chain: for each charge, that our
 * rows explain its balances on each of its chains, and that every chain was scanned. `sql` must be the owner's.
 *
 * @param until - latest deadline of these charges
 */
export async function matchBalances(sql: Sql, until = new Date()): Promise<void> {
  await sql`
    insert into expiry_verifications (charge_id, chain_id, result, block_number, block_timestamp, checked_at, next_attempt_at)
    select c.id, d.chain_id, 'matched', 0, ceil(extract(epoch from c.expires_at)), now(), now()
    from charges c join deployments d on d.chain_id = any (c.accepted_chains)
    where c.status in ('pending', 'partially_paid') and c.expires_at <= ${until}
    on conflict do nothing`
  await completeScans(sql)
}

/** Records that every chain was scanned up to the feed's confirmed head, as reconciliation does. */
export async function completeScans(sql: Sql): Promise<void> {
  await sql`
    insert into reconciliations (chain_id, scanned_block_number, next_attempt_at)
    select chain_id, coalesce(confirmed_head_number, 0), now() from deployments
    on conflict (chain_id) do update set
      scanned_block_number = greatest(reconciliations.scanned_block_number, excluded.scanned_block_number)`
}
