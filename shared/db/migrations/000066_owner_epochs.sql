-- Who owns a deployment's Ponder is counted, and a Ponder of an earlier owner commits nothing any more: one that was
-- silent, or whose machine stood still, may come to life when another has long taken over. Blocks writers of
-- `deployments` for an instant.
alter table deployments add column owner_epoch bigint not null default 0;

-- Hung on each table that a Ponder writes what we read in; it names its owner's epoch in a setting of its sessions.
create function require_owner_epoch() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  session_epoch bigint := coalesce(nullif(current_setting('svc.owner_epoch', true), ''), '0')::bigint;
  owner_epoch   bigint := (
    select d.owner_epoch from feeds f join deployments d on d.chain_id = f.chain_id
    where f.ponder_schema = tg_table_schema);
begin
  if session_epoch < owner_epoch then
    raise exception '% is written by a Ponder of epoch %, and its owner is of epoch %', tg_table_schema, session_epoch,
      owner_epoch using errcode = 'object_not_in_prerequisite_state';
  end if;
  return null;
end
$$;

grant execute on function require_owner_epoch() to svc_daemon;
