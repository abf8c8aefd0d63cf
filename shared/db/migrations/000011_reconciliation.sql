-- The comparison of our rows with the chains, independent of every feed.

-- How far the reconciliation of a chain has read. One daemon claims the row each turn.
create table reconciliations (
  chain_id             bigint primary key references deployments,
  scanned_block_number bigint not null, -- every block up to this one was at depth and has been compared
  next_attempt_at      timestamptz not null,
  -- Position up to which charges have been enrolled for comparisons: activity and id of the last charge.
  enrolled_at          timestamptz not null default '-infinity',
  enrolled_id          text not null default ''
);

-- A charge ends unpaid only after a source other than its feed has verified this: a node once returned no logs for a
-- range of blocks, Ponder stored this permanently, and a payment in the range stayed unknown. Its balances are
-- therefore read from the chain after the deadline and compared with our rows. There is one row for each chain of an
-- open charge whose deadline has passed. The row stays when the charge ends, as the reason.
create table expiry_verifications (
  charge_id       text not null references charges,
  chain_id        bigint not null references deployments,
  -- matched: past the deadline, our rows explain the balances. matched_at_head: the same at the head of a chain that
  -- has stalled. excess: a balance is above our rows, which blocks the expiry. unverified: no node has responded.
  result          text not null default 'unverified'
                    check (result in ('unverified', 'matched', 'matched_at_head', 'excess')),
  block_number    bigint,
  block_timestamp bigint, -- Unix seconds, the block's own
  checked_at      timestamptz,
  -- For an excess: the actual and the expected balance, in atomic units, and the time at which every responding node
  -- had been searched.
  account         text,
  token_address   text,
  expected_atomic numeric,
  found_atomic    numeric,
  searched_at     timestamptz,
  -- An imported charge might have been paid and distributed while it was unknown. No balance shows this, and no scan
  -- covered it, so all blocks since its creation are searched before it may end unpaid.
  needs_search    boolean not null default false,
  next_attempt_at timestamptz not null,
  primary key (charge_id, chain_id),
  check (result = 'unverified' or (block_number is not null and block_timestamp is not null and checked_at is not null)),
  check (result <> 'excess' or found_atomic > expected_atomic)
);

create index expiry_verifications_due on expiry_verifications (chain_id, next_attempt_at) where result <> 'matched';
create index expiry_verifications_blocked on expiry_verifications (charge_id) where result = 'excess';

-- An operator's order that a charge may end although its balances do not match or cannot be read. The order must be
-- renewed if an unconfirmed payment was reported after it.
create table expiry_overrides (
  charge_id  text primary key references charges,
  reason     text not null check (btrim(reason) <> ''),
  ordered_by text not null default session_user,
  ordered_at timestamptz not null default now()
);

-- Charges without activity for 25 hours leave the range scans. From then on, their balances and logs are compared with
-- our rows at growing intervals (decisions 9.3). There is one row for each charge and each chain that it accepts.
create table charge_comparisons (
  charge_id        text not null references charges,
  chain_id         bigint not null, -- no foreign key: a charge must be insertable before its chain has a daemon
  due_at           timestamptz not null, -- schedule; `indexer/reconciliation/next-comparison.ts` computes it
  next_at          timestamptz not null, -- earliest claim: `due_at`, the end of a lease, or the end of a backoff
  -- Length of the interval to compare: -1 for hourly comparisons, otherwise the base-2 logarithm of the days. All
  -- charges of a batch have the same span.
  span             smallint not null,
  compared_at      timestamptz, -- when the balances of the last complete comparison were read
  compared_number  bigint, -- blocks up to this one are compared; null: none since the charge's creation
  unread_number    bigint, -- blocks up to this one were skipped, because no quorum of nodes served their logs
  known_difference text, -- unexplained difference that was searched and reported, and is not reported again
  failures         smallint not null default 0, -- consecutive failed attempts at the next range of blocks

  -- The comparison in progress. Rows with one `batch_id` are compared together.
  batch_id         text,
  begun_at         timestamptz,
  target_number    bigint, -- block at which the balances were read; null: not read yet
  searched_number  bigint, -- logs are read from this block up to the target
  difference       jsonb, -- balances at the target that our rows did not explain; null: no new mismatch
  strays           jsonb not null default '{}', -- 10^-18 dollars by token that strangers sent into an escrow's split
  primary key (charge_id, chain_id),
  check (target_number is null or (batch_id is not null and begun_at is not null and searched_number is not null))
);

create index charge_comparisons_next on charge_comparisons (chain_id, next_at);
create index charge_comparisons_of_span on charge_comparisons (chain_id, span, next_at) where batch_id is null;
create index charge_comparisons_of_batch on charge_comparisons (chain_id, batch_id) where batch_id is not null;
create index charge_comparisons_due on charge_comparisons (chain_id, due_at);

-- An imported charge is behind the position in `reconciliations`, so its rows are created together with it. This is a
-- trigger, because a stolen API role could also insert a charge with a past date, which would otherwise never be
-- compared.
create function compare_imported_charge() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into charge_comparisons (charge_id, chain_id, due_at, next_at, span)
  select new.id, chain_id, now(), now(), 0 from unnest(new.accepted_chains) as a (chain_id);
  return null;
end
$$;

create trigger charges_imported after insert on charges for each row
  when (new.last_activity_at < now() - interval '24 hours')
  execute function compare_imported_charge();

grant select on reconciliations, expiry_verifications, expiry_overrides, charge_comparisons to svc_operator;
grant insert, update (reason, ordered_by, ordered_at) on expiry_overrides to svc_operator;
grant select on expiry_overrides to svc_daemon;
grant select, insert on reconciliations, charge_comparisons to svc_daemon;
grant update (scanned_block_number, next_attempt_at, enrolled_at, enrolled_id) on reconciliations to svc_daemon;
grant select, insert, delete on expiry_verifications to svc_daemon;
grant update (result, block_number, block_timestamp, checked_at, account, token_address, expected_atomic, found_atomic,
    searched_at, next_attempt_at) on expiry_verifications to svc_daemon;
grant update (due_at, next_at, span, compared_at, compared_number, unread_number, known_difference, failures, batch_id,
    begun_at, target_number, searched_number, difference, strays) on charge_comparisons to svc_daemon;
