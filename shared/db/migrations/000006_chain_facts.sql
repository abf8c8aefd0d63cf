-- What the chains did to our addresses. Identity survives a reorganization: the ordinal of a transfer among its
-- token's transfers to this charge in its transaction, never the log index, which changes on re-inclusion.
--
-- Three columns mean the same in each of the three tables. `judged_at`: when a missing row was judged last; the oldest
-- judgement comes first, or twenty rows about which no node can say anything would be all that is ever judged.
-- `deep_block_hash`: the inclusion that reconciliation found at confirmation depth by itself; while it is the row's, the
-- row is deep whatever head the feed has, so money is credited and settled while Ponder is down. `ponder_schema`: the
-- schema that showed the row last; only that one can miss it.
--
-- What the daemon asks every second or three must cost what waits, not all that was ever done. So each question has an
-- index of its waiting rows alone, in the order it is asked in: with another order, a plan for any limit may walk the
-- primary key instead.
create table transfers (
  id                bigint generated always as identity primary key,
  charge_id         text not null references charges,
  network           text not null,
  token             text not null,
  source            text not null check (source in
                    ('contract_watcher', 'tron_watcher', 'reconciliation_job', 'sandbox')),
  chain_id          bigint references deployments,
  token_address     text,
  tx_hash           text,
  ordinal           int,
  request_id        text unique, -- identity of a sandbox credit

  sender            text,
  value_atomic      numeric(78, 0) not null check (value_atomic > 0),
  amount_atto       numeric(78, 0) not null check (amount_atto > 0),
  accepted          boolean not null, -- is the pair one the charge accepts; others are shown, never credited
  -- Why it is never credited. A charge's own money, come back from its split or its Safe, is no payment.
  refusal           text check (refusal in ('pair_not_accepted', 'own_money')),

  -- Where the canonical chain has it now.
  presence          text not null check (presence in ('present', 'missing', 'vanished')),
  block_number      bigint,
  block_hash        text,
  block_timestamp   bigint,
  log_index         int,
  ponder_schema     text,
  missing_since     timestamptz,
  judged_at         timestamptz not null default '-infinity',
  deep_block_hash   text,

  detected_at       timestamptz not null default now(),
  credited_at       timestamptz,
  on_time           boolean, -- mined before expiresAt; set when credited
  caused_transition boolean not null default false,

  unique (chain_id, tx_hash, token_address, charge_id, ordinal),
  check ((source = 'sandbox') = (chain_id is null)),
  check (chain_id is null or (token_address is not null and tx_hash is not null and ordinal is not null
         and block_number is not null)),
  check (credited_at is null or accepted),
  check (refusal is null or not accepted)
);

create index transfers_of_charge on transfers (charge_id, id);
create index transfers_not_final on transfers (chain_id, block_number) where presence <> 'vanished';
create index transfers_missing on transfers (chain_id, judged_at, id) where presence = 'missing';
-- Not credited yet: due at depth, told of with a new head, or holding an expiry back though it is missing. No block
-- number in it, because reconciliation knows of depth without one (shared/db/chain-facts/daemon/at-depth.ts). One key column:
-- of several the planner thinks that they lie less in the order of the table, and beside a backlog it then walks the
-- primary key, which is in that order, through all that was ever credited.
create index transfers_uncredited on transfers (id) include (chain_id)
  where credited_at is null and accepted and presence <> 'vanished';
-- The last one that the feed brought, beside any number of others that came after it.
create index transfers_of_feed on transfers (id) where source = 'contract_watcher';

-- Whoever may write it: a simulated payment is one of the test environment.
create function require_sandbox_charge() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from charges c where c.id = new.charge_id and c.environment = 'test') then
    raise exception 'transfer of the sandbox to %, which is live', new.charge_id using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger transfers_of_sandbox before insert on transfers
  for each row when (new.source = 'sandbox') execute function require_sandbox_charge();

-- SplitDistributed, PayoutHeld and PayoutReleased of our splits.
create table split_events (
  id              bigint generated always as identity primary key,
  charge_id       text not null references charges,
  kind            text not null check (kind in ('distributed', 'held', 'released')),
  chain_id        bigint not null references deployments,
  token_address   text not null,
  tx_hash         text not null,
  ordinal         int not null, -- among its kind's events of this split and token in the transaction
  account         text not null, -- the distributor, or the recipient
  amount_atomic   numeric(78, 0) not null check (amount_atomic >= 0),
  presence        text not null check (presence in ('present', 'missing', 'vanished')),
  block_number    bigint not null,
  block_hash      text not null,
  block_timestamp bigint not null,
  log_index       int not null,
  ponder_schema   text,
  missing_since   timestamptz,
  judged_at       timestamptz not null default '-infinity',
  deep_block_hash text,
  detected_at     timestamptz not null default now(),
  announced_at    timestamptz, -- the payout was told that somebody distributes; not yet at depth
  applied_at      timestamptz, -- counted in the pair's ledger, at depth
  unique (chain_id, tx_hash, token_address, charge_id, kind, ordinal)
);

create index split_events_of_charge on split_events (charge_id, id);
create index split_events_not_final on split_events (chain_id, block_number) where presence <> 'vanished';
create index split_events_missing on split_events (chain_id, judged_at, id) where presence = 'missing';
-- Not counted yet; what vanished after it was announced too, because the question for news asks for that.
create index split_events_unapplied on split_events (id) where applied_at is null;

-- Transfers of an accepted token out of a charge's Safe: into its split, or to anybody else. Identity as of transfers.
create table escrow_movements (
  id              bigint generated always as identity primary key,
  charge_id       text not null references charges,
  action          text not null check (action in ('release', 'refund')),
  chain_id        bigint not null references deployments,
  token_address   text not null,
  tx_hash         text not null,
  ordinal         int not null, -- among its token's transfers out of this Safe in the transaction, zeros included
  recipient       text not null,
  amount_atomic   numeric(78, 0) not null,
  -- A Safe on Arc can send the coin itself, less than a unit of the token included. In 10^-18 dollars.
  dust_atto       numeric(18, 0) not null default 0 check (dust_atto >= 0),
  presence        text not null check (presence in ('present', 'missing', 'vanished')),
  block_number    bigint not null,
  block_hash      text not null,
  block_timestamp bigint not null,
  log_index       int not null,
  ponder_schema   text,
  missing_since   timestamptz,
  judged_at       timestamptz not null default '-infinity',
  deep_block_hash text,
  detected_at     timestamptz not null default now(),
  applied_at      timestamptz, -- the charge was told of it, at depth
  unique (chain_id, tx_hash, token_address, charge_id, ordinal),
  constraint escrow_movements_amount_check check (amount_atomic >= 0 and amount_atomic + dust_atto > 0)
);

create index escrow_movements_of_charge on escrow_movements (charge_id, id);
create index escrow_movements_not_final on escrow_movements (chain_id, block_number) where presence <> 'vanished';
create index escrow_movements_missing on escrow_movements (chain_id, judged_at, id) where presence = 'missing';
create index escrow_movements_unapplied on escrow_movements (id) where applied_at is null and presence = 'present';

-- Logs that move our charges' money by what no column can hold, such as 10^66 units of a token that anyone can mint.
-- Kept as text and told once; nothing is credited for them, and they hold up no other row.
create table set_aside_logs (
  chain_id     bigint not null references deployments,
  tx_hash      text not null,
  log_index    numeric not null,
  charge_id    text not null references charges,
  reason       text not null, -- the field, its value and the limit
  set_aside_at timestamptz not null default now(),
  primary key (chain_id, tx_hash, log_index)
);

grant select on transfers, split_events, escrow_movements to svc_api, svc_operator;
grant select on set_aside_logs to svc_operator;
-- What was seen on a chain may be included again elsewhere; whose it is and what identifies it stays.
grant select, insert on transfers, split_events, escrow_movements, set_aside_logs to svc_daemon;
grant update (sender, value_atomic, amount_atto, accepted, refusal, presence, block_number, block_hash, block_timestamp,
    log_index, ponder_schema, missing_since, judged_at, deep_block_hash, credited_at, on_time, caused_transition)
  on transfers to svc_daemon;
grant update (account, amount_atomic, presence, block_number, block_hash, block_timestamp, log_index, ponder_schema,
    missing_since, judged_at, deep_block_hash, announced_at, applied_at) on split_events to svc_daemon;
grant update (action, recipient, amount_atomic, dust_atto, presence, block_number, block_hash, block_timestamp,
    log_index, ponder_schema, missing_since, judged_at, deep_block_hash, applied_at) on escrow_movements to svc_daemon;
