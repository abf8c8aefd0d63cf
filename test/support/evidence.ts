import type { Sql } from '../../shared/db/connect.ts'

/**
 * Writes down, as the daemon does, that our rows explain all that charges hold on every chain past their deadlines: for
 * tests that have no chain to read it from. As the owner.
 *
 * @param until - deadlines up to then
 */
export async function proveBalances(sql: Sql, until = new Date()): Promise<void> {
  await sql`
    insert into balance_evidence (charge_id, chain_id, result, block_number, block_timestamp, checked_at, next_at)
    select c.id, d.chain_id, 'clear', 0, ceil(extract(epoch from c.expires_at)), now(), now()
    from charges c join deployments d on d.chain_id = any (c.accepted_chains)
    where c.status in ('pending', 'partially_paid') and c.expires_at <= ${until}
    on conflict do nothing`
}
