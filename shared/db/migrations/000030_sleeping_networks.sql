-- A network on which nothing must be watched sleeps: its feed stops, and a quorum's head is read once a minute. The first
-- charge that accepts the network wakes it. Networks of an existing installation stay awake for the first 25 hours.

-- First, so that only writers of `charges` wait while all charges are read.
create index charges_held_escrows on charges (id)
  where escrow_releaser is not null and received_atto > 0 and escrow_released_at is null and escrow_refunded_at is null;

alter table deployments
  -- Time since which the network sleeps; null while it is watched. Only the daemon that owns the feed changes this
  -- column.
  add column asleep_since timestamptz,
  -- A head that a quorum reached before the daemon found that nothing must be watched. Later charges are paid above it.
  add column sleep_head_number bigint,
  add column wake_requested_at timestamptz,
  -- Last time at which something on the network had to be watched.
  add column watched_at timestamptz not null default now();

grant update (asleep_since, sleep_head_number, wake_requested_at, watched_at) on deployments to svc_daemon;

-- Wakes the networks that a new charge accepts. The rows are locked in order, so that two transactions cannot deadlock.
-- A notification is sent only for a sleeping network, because a transaction with a notification takes an instance-wide
-- lock.
create function wake_networks() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  sleeping bigint;
begin
  if not exists (select from deployments where asleep_since is not null and wake_requested_at is null) then
    return null;
  end if;
  for sleeping in
    select d.chain_id from deployments d
    where d.asleep_since is not null and d.wake_requested_at is null
      and d.chain_id in (select unnest(n.accepted_chains) from new_rows n)
    order by d.chain_id for no key update
  loop
    update deployments set wake_requested_at = now() where chain_id = sleeping;
    perform pg_notify('svc_wakes', sleeping::text);
  end loop;
  return null;
end
$$;

create trigger charges_wake_networks after insert on charges
  referencing new table as new_rows for each statement execute function wake_networks();
