-- A row of a chain counts only once a quorum of operators has shown it (decisions 9.1). Until then it is the report of one
-- node: the feed's, or that of the node that a scan asked.
--
-- `agreed_at`, `agreed_by`: when, and by which operators; they are cleared when the row changes in any way. Besides
-- operators: `trusted:NODE` while an operator's order lets one node decide, `before-quorum` for rows that had counted
-- before this migration. Both are verified again later.
-- `denied_block_hash`: the inclusion that a quorum shows without this row. The row is then `vanished`, although the feed
-- goes on to show it.
--
-- Blocks writers of the three tables for as long as the updates take; the daemon before this one must be stopped first.
alter table transfers add column agreed_at timestamptz, add column agreed_by text[], add column denied_block_hash text,
  add check ((agreed_at is null) = (agreed_by is null));
alter table split_events add column agreed_at timestamptz, add column agreed_by text[], add column denied_block_hash text,
  add check ((agreed_at is null) = (agreed_by is null));
alter table escrow_movements add column agreed_at timestamptz, add column agreed_by text[], add column denied_block_hash text,
  add check ((agreed_at is null) = (agreed_by is null));

alter table deployments
  -- Operators that must agree before a row counts; written by the daemon from its configuration.
  add column quorum int not null default 2 check (quorum between 1 and 5),
  -- Last time that nodes of so many operators responded (decisions 2.4).
  add column quorum_responded_at timestamptz;
grant update (quorum, quorum_responded_at) on deployments to svc_daemon;

-- What had counted keeps counting, and is verified at leisure.
update transfers set agreed_at = now(), agreed_by = '{before-quorum}', deep_block_hash = block_hash
  where chain_id is not null and credited_at is not null;
update split_events set agreed_at = now(), agreed_by = '{before-quorum}', deep_block_hash = block_hash
  where applied_at is not null;
update escrow_movements set agreed_at = now(), agreed_by = '{before-quorum}', deep_block_hash = block_hash
  where applied_at is not null;

-- Rows that one node alone let count wait here for a second look.
create index transfers_to_verify on transfers (chain_id, id)
  where agreed_by is not null and (agreed_by[1] = 'before-quorum' or agreed_by[1] like 'trusted:%');
create index split_events_to_verify on split_events (chain_id, id)
  where agreed_by is not null and (agreed_by[1] = 'before-quorum' or agreed_by[1] like 'trusted:%');
create index escrow_movements_to_verify on escrow_movements (chain_id, id)
  where agreed_by is not null and (agreed_by[1] = 'before-quorum' or agreed_by[1] like 'trusted:%');
-- What the feed shows and a quorum has denied.
create index transfers_denied on transfers (chain_id, block_number) where denied_block_hash is not null;
create index split_events_denied on split_events (chain_id, block_number) where denied_block_hash is not null;
create index escrow_movements_denied on escrow_movements (chain_id, block_number) where denied_block_hash is not null;

-- Operators' orders that let one node of a chain decide alone for a time. An order is never changed, only ended.
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
grant select on node_trusts to svc_daemon;
grant select, insert on node_trusts to svc_operator;
grant update (ends_at) on node_trusts to svc_operator;

-- Whether these votes let a row of a chain count.
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
revoke all on function is_agreed(text[], bigint) from public;
grant execute on function is_agreed(text[], bigint) to svc_daemon;

-- The daemon's own rule, held once more where money is counted: a statement that counts a row without a quorum fails.
-- Credits of the sandbox have no chain. The column that says "counted" is the trigger's argument.
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
create trigger escrow_movements_require_quorum after update on escrow_movements
  referencing old table as old_rows new table as new_rows
  for each statement execute function require_agreed_rows('applied_at');

grant update (agreed_at, agreed_by, denied_block_hash) on transfers, split_events, escrow_movements to svc_daemon;
