-- A deployment is one chain; its chain id is its key, everywhere. The daemon writes what it watches; of that the API
-- offers only what its own configuration enables, because nobody takes back what a daemon that is gone has written.
create table deployments (
  chain_id          bigint primary key check (chain_id > 0),
  network           text not null,
  environment       text not null check (environment in ('live', 'test')),
  family            text not null check (family in ('evm', 'tron')),
  confirmations     int not null check (confirmations > 0),
  block_time_ms     int not null check (block_time_ms > 0),
  -- Are factory and implementation there, byte for byte? Null: not read since the daemon started (decisions 2.3).
  contracts_match   boolean,
  -- What the chain feed has applied, moved by compare-and-swap on `version`.
  ponder_schema     text,
  version           bigint not null default 0,
  head_number       bigint,
  head_timestamp    bigint, -- Unix seconds, the block's own
  deep_number       bigint, -- highest block known to be at confirmation depth under that head
  deep_timestamp    bigint,
  finalized_number  bigint not null default 0, -- the low-water mark: every row above it is read each time
  -- Our own highest head ever, and when it last advanced by the database clock; restarts do not lower it.
  highest_head      bigint,
  highest_head_at   timestamptz,
  -- Last time its node answered that the chain itself had produced no block for the configured bound (decisions 3.4).
  quiet_at          timestamptz,
  abandoned_at      timestamptz, -- an operator's word that this network no longer holds up expiry (decisions 3.4)
  -- A feed that was once led by a node of another chain begins, or stands, above every block of its own: nothing of the
  -- chain is read, and nothing would ever lower a mark. An operator orders it mended, and the chain's owner does it.
  feed_above_since  timestamptz, -- the feed has been above every head of its nodes since then
  mend_requested_at timestamptz, -- an operator's order, until it is carried out
  mend_from         bigint check (mend_from >= 0), -- from this block; null: the daemon finds it
  feed_mends        int not null default 0, -- so often; part of the name of Ponder's schema
  -- Counts who has owned the chain's Ponder. One of an earlier owner commits nothing any more: one that was silent, or
  -- whose machine stood still, may come to life when another has long taken over.
  owner_epoch       bigint not null default 0,
  unique (network, environment)
);

-- The pairs ever enabled. `enabled` false stops offering a pair, never watching it.
create table pairs (
  chain_id      bigint not null references deployments,
  network       text not null,
  environment   text not null,
  token         text not null check (token in ('USDC', 'USDT')),
  token_address text not null check (token_address ~ '^0x[0-9a-f]{40}$'),
  decimals      int not null check (decimals between 0 and 18),
  enabled       boolean not null,
  paused_at     timestamptz, -- the operator's switch, effective at once (decisions 2.3)
  primary key (network, token, environment),
  unique (chain_id, token_address)
);

-- One generation of Ponder's tables per build: another token, start block or version makes another schema.
create table feeds (
  ponder_schema text primary key,
  chain_id      bigint not null references deployments,
  start_block   bigint not null,
  emitters      text[] not null, -- the contracts it reads Transfer of; part of Ponder's build id, so frozen
  created_at    timestamptz not null default now(),
  retired_at    timestamptz
);

-- Every head Ponder committed, written by a trigger in Ponder's own transaction, so no reorganization slips
-- between two reads: a lower head first removes what it replaced. Those below Ponder's finalized block are let go,
-- which is deeper than any confirmation depth (decisions 2.6).
create table chain_heads (
  ponder_schema text not null,
  number        bigint not null,
  timestamp     bigint not null,
  primary key (ponder_schema, number)
);

-- Installed on `<schema>._ponder_checkpoint`. Ponder commits with synchronous_commit off, which loses rows when
-- PostgreSQL is killed (measured: 2 to 3 rows in 3 of 3 runs); this turns it on for that very transaction.
create function record_head() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  head_timestamp bigint := substr(new.latest_checkpoint, 1, 10)::bigint;
  head_number    bigint := substr(new.latest_checkpoint, 27, 16)::bigint;
  final_number   bigint := substr(new.finalized_checkpoint, 27, 16)::bigint;
begin
  perform set_config('synchronous_commit', 'on', true);
  delete from chain_heads
  where ponder_schema = tg_table_schema and (number >= head_number or number < final_number);
  insert into chain_heads values (tg_table_schema, head_number, head_timestamp);
  return null;
end
$$;

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

-- The daemon hangs both on each schema of Ponder's.
grant execute on function record_head, require_owner_epoch to svc_daemon;

grant select on deployments, pairs, chain_heads to svc_api;
-- Whether a pair is paused and a network abandoned is the operator's word; a pair keeps its contract and decimals. The
-- heads are written by `record_head`.
grant select, insert on deployments, pairs, feeds to svc_daemon;
grant update (confirmations, block_time_ms, contracts_match, ponder_schema, version, head_number, head_timestamp,
    deep_number, deep_timestamp, finalized_number, highest_head, highest_head_at, quiet_at, feed_above_since,
    mend_requested_at, mend_from, feed_mends, owner_epoch) on deployments to svc_daemon;
grant update (enabled) on pairs to svc_daemon;
grant update (created_at, retired_at) on feeds to svc_daemon;
grant select, delete on chain_heads to svc_daemon;
grant select on deployments, pairs, feeds, chain_heads to svc_operator;
grant update (paused_at) on pairs to svc_operator;
grant update (abandoned_at, mend_requested_at, mend_from) on deployments to svc_operator;
