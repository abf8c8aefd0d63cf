import type { Sql } from '../../shared/db/connect.ts'

/**
 * Installs triggers that record, in the transaction of each decision, the service's data about the chains. A later
 * check would see more data, so that a decision made one block too early would seem correct.
 *
 * @param sql - the owner's connection
 */
export async function installWitness(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create table witnessed_counts (
      what text not null, chain_id bigint not null, tx_hash text not null, block_hash text not null,
      block_timestamp bigint not null, log_index int not null, kind text not null, party text not null, amount numeric not null);
    create function witness_credit() returns trigger language plpgsql
      security definer set search_path = public, pg_catalog as $$
    begin
      insert into witnessed_counts values ('transfer ' || new.id, new.chain_id, new.tx_hash, new.block_hash,
        new.block_timestamp, new.log_index, 'transfer', new.sender, new.value_atomic);
      return null;
    end $$;
    create trigger witness_credit after update of credited_at on transfers for each row
      when (old.credited_at is null and new.credited_at is not null) execute function witness_credit();
    create function witness_split_event() returns trigger language plpgsql
      security definer set search_path = public, pg_catalog as $$
    begin
      insert into witnessed_counts values (new.kind || ' ' || new.id, new.chain_id, new.tx_hash, new.block_hash,
        new.block_timestamp, new.log_index, new.kind, new.account, new.amount_atomic);
      return null;
    end $$;
    create trigger witness_split_event after update of applied_at on split_events for each row
      when (old.applied_at is null and new.applied_at is not null) execute function witness_split_event();

    create table witnessed_orphans (what text not null, chain_id bigint not null, tx_hash text not null);
    create function witness_orphan() returns trigger language plpgsql
      security definer set search_path = public, pg_catalog as $$
    begin
      insert into witnessed_orphans values (tg_table_name || ' ' || new.id, new.chain_id, new.tx_hash);
      return null;
    end $$;
    create trigger witness_orphan after update of inclusion on transfers for each row
      when (new.inclusion = 'orphaned' and old.inclusion <> 'orphaned' and new.credited_at is not null)
      execute function witness_orphan();
    create trigger witness_orphan after update of inclusion on split_events for each row
      when (new.inclusion = 'orphaned' and old.inclusion <> 'orphaned' and new.applied_at is not null)
      execute function witness_orphan();

    create table witnessed_ends (
      charge_id text not null, ended_at timestamptz not null, chain_id bigint not null, max_head_number bigint,
      is_excused boolean not null);
    create function witness_end() returns trigger language plpgsql
      security definer set search_path = public, pg_catalog as $$
    begin
      insert into witnessed_ends
      select new.id, now(), d.chain_id, d.max_head_number,
        d.abandoned_at is not null or coalesce(d.idle_at > now() - interval '2 minutes', false)
          or exists (
            select from witnessed_recoveries r
            where r.chain_id = d.chain_id and r.known_at >= pg_catalog.transaction_timestamp())
      from deployments d where d.chain_id = any (new.accepted_chains);
      return null;
    end $$;
    create trigger witness_end after update of status on charges for each row
      when (new.status in ('expired', 'underpaid') and old.status not in ('expired', 'underpaid'))
      execute function witness_end();

    -- Records when a chain is no longer abandoned or idle, so that charges wait for it again. A transaction that
    -- started before this commit might have read the earlier row. Uses the server's clock, because the simulated time
    -- does not advance within a transaction.
    create table witnessed_recoveries (chain_id bigint not null, known_at timestamptz not null);
    create function witness_recovery() returns trigger language plpgsql
      security definer set search_path = public, pg_catalog as $$
    begin
      insert into witnessed_recoveries values (new.chain_id, pg_catalog.clock_timestamp());
      return null;
    end $$;
    create constraint trigger witness_recovery after update on deployments deferrable initially deferred for each row
      when (old.abandoned_at is not null and new.abandoned_at is null
        or old.idle_at is not null and new.idle_at is null)
      execute function witness_recovery();`)
}
