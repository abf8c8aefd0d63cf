import type { Sql } from '../../shared/db/connect.ts'

/**
 * Has the database write down, in the very transaction of a decision, what the service knew of the chains then: what it
 * knew when somebody looks is more, and a decision that came too early seems right a block later.
 *
 * @param sql - the owner's
 */
export async function installWitness(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create table witnessed_credits (
      transfer_id bigint not null, chain_id bigint not null, block_number bigint not null, highest_head bigint,
      is_found_deep boolean not null);
    create function witness_credit() returns trigger language plpgsql
      security definer set search_path = public, pg_catalog as $$
    begin
      insert into witnessed_credits
      select new.id, new.chain_id, new.block_number, d.highest_head,
        coalesce(new.deep_block_hash = new.block_hash, false)
      from deployments d where d.chain_id = new.chain_id;
      return null;
    end $$;
    create trigger witness_credit after update of credited_at on transfers for each row
      when (old.credited_at is null and new.credited_at is not null) execute function witness_credit();

    create table witnessed_ends (
      charge_id text not null, ended_at timestamptz not null, chain_id bigint not null, highest_head bigint,
      is_quiet boolean not null);
    create function witness_end() returns trigger language plpgsql
      security definer set search_path = public, pg_catalog as $$
    begin
      insert into witnessed_ends
      select new.id, now(), d.chain_id, d.highest_head, coalesce(d.quiet_at > now() - interval '2 minutes', false)
      from deployments d where d.chain_id = any (new.accepted_chains) and d.abandoned_at is null;
      return null;
    end $$;
    create trigger witness_end after update of status on charges for each row
      when (new.status in ('expired', 'underpaid') and old.status not in ('expired', 'underpaid'))
      execute function witness_end();`)
}
