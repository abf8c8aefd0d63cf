-- Rows of a chain count only if a quorum of operators showed them (decisions 9.1), or a node that an operator trusts.

-- Operators' orders that let one node of a chain decide for a limited time. An order is never changed, only ended.
create table node_trusts (
  id         bigint generated always as identity primary key,
  chain_id   bigint not null references deployments,
  node       text not null check (node <> ''),
  reason     text not null check (reason <> ''),
  ordered_at timestamptz not null default now(),
  ordered_by text not null default session_user,
  ends_at    timestamptz not null,
  check (ends_at > ordered_at and ends_at <= ordered_at + interval '24 hours')
);

create index node_trusts_by_chain on node_trusts (chain_id, ends_at);

-- Returns whether these votes let a row of a chain count.
create function is_agreed(votes text[], chain bigint) returns boolean
  language sql stable set search_path = public, pg_temp as $$
  select coalesce(
    votes[1] = 'before-quorum'
    or (select count(distinct v) from unnest(votes) as v where v not like 'trusted:%')
      >= (select quorum from deployments d where d.chain_id = chain)
    or exists (
      select from node_trusts n
      where n.chain_id = chain and 'trusted:' || n.node = votes[1] and n.ends_at > now()), false)
$$;

-- The daemon's own rule, enforced again where money is counted: a statement that counts a row without a quorum fails.
-- This is a trigger, because the rule must hold for each statement of the daemon, including those of another build.
-- Sandbox credits, which have no chain, are exempt. The trigger's argument is the column that marks a row as counted.
create function require_agreed_rows() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
declare
  refused text;
begin
  if tg_argv[0] = 'credited_at' then
    select min(n.id::text) into refused
    from new_rows n join old_rows o on o.id = n.id
    where n.credited_at is not null and o.credited_at is null and n.chain_id is not null
      and not is_agreed(n.agreed_by, n.chain_id);
  else
    select min(n.id::text) into refused
    from new_rows n join old_rows o on o.id = n.id
    where n.applied_at is not null and o.applied_at is null and not is_agreed(n.agreed_by, n.chain_id);
  end if;
  if refused is not null then
    raise exception 'row % of % counts without a quorum', refused, tg_table_name using errcode = 'check_violation';
  end if;
  return null;
end
$$;

create trigger transfers_require_quorum after update on transfers
  referencing old table as old_rows new table as new_rows
  for each statement execute function require_agreed_rows('credited_at');
create trigger split_events_require_quorum after update on split_events
  referencing old table as old_rows new table as new_rows
  for each statement execute function require_agreed_rows('applied_at');
create trigger escrow_transfers_require_quorum after update on escrow_transfers
  referencing old table as old_rows new table as new_rows
  for each statement execute function require_agreed_rows('applied_at');

grant select on node_trusts to svc_daemon;
grant select, insert on node_trusts to svc_operator;
grant update (ends_at) on node_trusts to svc_operator;
grant execute on function is_agreed to svc_daemon;
