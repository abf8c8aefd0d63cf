-- Charges without activity for 25 hours leave the range scans. From then on their balances and logs are compared with our
-- rows at growing intervals (decisions 9.3); before this migration only the feed watched them. Adds a table, two columns, and an
-- index that blocks writers of `charges` while it reads that table. The build before this one works beside it.

-- One row for each charge and chain that it accepts, created when the charge leaves the range scans.
create table charge_comparisons (
  charge_id        text not null references charges,
  chain_id         bigint not null, -- no foreign key: a charge must be insertable before its chain has a daemon
  due_at           timestamptz not null, -- schedule; `indexer/reconciliation/next-comparison.ts` computes it
  next_at          timestamptz not null, -- earliest claim: `due_at`, the end of a lease, or the end of a backoff
  -- Length of the interval to compare: -1 for hourly comparisons, else the power of two in days. One batch has one span.
  span             smallint not null,
  compared_at      timestamptz, -- when the balances of the last complete comparison were read
  compared_number  bigint, -- blocks up to this one are compared; null: none since the charge's creation
  unread_number    bigint, -- blocks up to this one were skipped, because no quorum of nodes served their logs
  known_difference text, -- unexplained difference that was searched and reported; it is not reported again
  failures         smallint not null default 0, -- failed attempts at the next range of blocks, in a row

  -- The comparison in progress. Rows with one `batch_id` are compared together.
  batch_id         text,
  begun_at         timestamptz,
  target_number    bigint, -- block at which the balances were read; null: they are not read yet
  searched_number  bigint, -- logs are read from this block up to the target
  difference       jsonb, -- balances at the target that our rows did not explain; null: none, or the known one
  strays           jsonb not null default '{}', -- 10^-18 dollars by token that strangers sent into an escrow's split
  primary key (charge_id, chain_id),
  check (target_number is null or (batch_id is not null and begun_at is not null and searched_number is not null))
);

create index charge_comparisons_next on charge_comparisons (chain_id, next_at);
create index charge_comparisons_of_span on charge_comparisons (chain_id, span, next_at) where batch_id is null;
create index charge_comparisons_of_batch on charge_comparisons (chain_id, batch_id) where batch_id is not null;
create index charge_comparisons_due on charge_comparisons (chain_id, due_at);

-- Position up to which charges have their rows: activity and id of the last one.
alter table reconciliations
  add column enrolled_at timestamptz not null default '-infinity',
  add column enrolled_id text not null default '';

-- The order in which charges leave the range scans.
create index charges_by_activity on charges (last_activity_at, id);

-- An imported charge is behind that position, so its rows are created with it.
create function compare_imported_charge() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into charge_comparisons (charge_id, chain_id, due_at, next_at, span)
  select new.id, chain_id, now(), now(), 0 from unnest(new.accepted_chains) as a (chain_id);
  return null;
end
$$;
revoke all on function compare_imported_charge() from public;

create trigger charges_imported after insert on charges for each row
  when (new.last_activity_at < now() - interval '24 hours')
  execute function compare_imported_charge();

grant select on charge_comparisons to svc_operator;
grant select, insert on charge_comparisons to svc_daemon;
grant update (due_at, next_at, span, compared_at, compared_number, unread_number, known_difference, failures, batch_id,
    begun_at, target_number, searched_number, difference, strays) on charge_comparisons to svc_daemon;
grant update (enrolled_at, enrolled_id) on reconciliations to svc_daemon;
