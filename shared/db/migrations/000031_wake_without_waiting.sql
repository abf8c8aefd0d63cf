-- A charge that accepts a sleeping network does not wait for a lock on the network's row, such as the daemon's while it
-- records payments or wakes the network. If the row is locked, only the notification is sent, and the daemon marks the row.
create or replace function wake_networks() returns trigger
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
  loop
    update deployments set wake_requested_at = now() where chain_id = (
      select d.chain_id from deployments d
      where d.chain_id = sleeping and d.asleep_since is not null and d.wake_requested_at is null
      for no key update skip locked);
    perform pg_notify('svc_wakes', sleeping::text);
  end loop;
  return null;
end
$$;
