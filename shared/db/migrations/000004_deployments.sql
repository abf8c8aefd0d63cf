-- A deployment is one chain; its chain id is its key everywhere. The daemon writes the chains it watches. The API
-- offers only the pairs that its own configuration enables, because no process removes rows of a daemon that is gone.
create table deployments (
  chain_id                 bigint primary key check (chain_id > 0),
  network                  text not null,
  environment              text not null check (environment in ('live', 'test')),
  family                   text not null check (family in ('evm', 'tron')),
  confirmations            int not null check (confirmations > 0),
  block_time_ms            int not null check (block_time_ms > 0),
  -- Number of operators that must agree before a row of the chain counts. The daemon writes it from its configuration.
  quorum                   int not null default 2 check (quorum between 1 and 5),
  quorum_responded_at      timestamptz, -- last time that nodes of that many operators responded (decisions 2.4)
  -- Whether factory and implementation have our code, byte for byte. Null: not read since the daemon started
  -- (decisions 2.3).
  contracts_match          boolean,
  -- Blocks that the chain feed has applied, updated by compare-and-swap on `watermark_version`.
  ponder_schema            text,
  watermark_version        bigint not null default 0,
  head_number              bigint,
  head_timestamp           bigint, -- Unix seconds, the block's own
  confirmed_head_number    bigint, -- highest block known to be at confirmation depth under that head
  confirmed_head_timestamp bigint,
  watermark_number         bigint not null default 0, -- watermark: every row above it is read each time
  -- Our own highest head ever, and when it last advanced by the database clock; restarts do not lower it.
  max_head_number          bigint,
  max_head_at              timestamptz,
  -- The block by which deadlines pass: the highest block that a quorum showed at confirmation depth, not above the
  -- feed's own (indexer/reconciliation/agree-on-confirmed-head.ts). Null until a deadline is due; no charge expires
  -- before that.
  agreed_head_number       bigint,
  agreed_head_hash         text,
  agreed_head_timestamp    bigint, -- Unix seconds, the block's own
  -- Last time at which the chain's nodes showed that the chain itself had produced no block for the configured time
  -- (decisions 3.4).
  idle_at                  timestamptz,
  abandoned_at             timestamptz, -- by an operator's order the network no longer delays expiry (decisions 3.4)
  -- A feed that a node of another chain once led stays above every block of its own chain: it reads no blocks, and
  -- nothing lowers its watermark. An operator orders a repair, and the daemon that owns the chain executes it.
  feed_ahead_since         timestamptz, -- since when the feed is above every head of its nodes
  repair_requested_at      timestamptz, -- an operator's order, until it is executed
  repair_from_block        bigint check (repair_from_block >= 0), -- from this block; null: the daemon finds it
  repair_count             int not null default 0, -- number of repairs; part of the name of Ponder's schema
  -- Counts the owners of the chain's Ponder. A Ponder of an earlier owner must not commit: it might resume after a long
  -- silence, when another owner has taken over.
  owner_epoch              bigint not null default 0,
  unique (network, environment),
  check (num_nulls(agreed_head_number, agreed_head_hash, agreed_head_timestamp) in (0, 3))
);

-- The pairs that were ever enabled. If `enabled` is false, the pair is no longer offered, but still watched.
create table pairs (
  chain_id      bigint not null references deployments,
  network       text not null,
  environment   text not null,
  token         text not null check (token in ('USDC', 'USDT')),
  token_address text not null check (token_address ~ '^0x[0-9a-f]{40}$'),
  decimals      int not null check (decimals between 0 and 18),
  enabled       boolean not null,
  paused_at     timestamptz, -- the operator's switch, effective immediately (decisions 2.3)
  primary key (network, token, environment),
  unique (chain_id, token_address)
);

-- One generation of Ponder's tables. Another token, start block or version creates another schema.
create table feeds (
  ponder_schema text primary key,
  chain_id      bigint not null references deployments,
  start_block   bigint not null,
  emitters      text[] not null, -- contracts whose Transfer logs it reads; part of Ponder's build id, so frozen
  created_at    timestamptz not null default now(),
  retired_at    timestamptz
);

-- Every head that Ponder committed, written by a trigger in Ponder's own transaction, so that no reorganization falls
-- between two reads: a lower head first deletes the heads it replaced. Heads below Ponder's finalized block, which is
-- deeper than any confirmation depth, are deleted (decisions 2.6).
create table chain_heads (
  ponder_schema text not null,
  number        bigint not null,
  timestamp     bigint not null,
  primary key (ponder_schema, number)
);

-- Installed on `<schema>._ponder_checkpoint`, because only a trigger runs in Ponder's own transaction. Ponder commits
-- with synchronous_commit off, which loses rows when PostgreSQL is killed (measured: 2 to 3 rows in 3 of 3 runs); this
-- turns it on for the same transaction.
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

-- Installed on each table of Ponder that we read, because it must stop the Ponder of an earlier owner that still runs.
-- A Ponder's sessions have its owner's epoch as a setting.
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

-- The daemon installs both on each of Ponder's schemas.
grant execute on function record_head, require_owner_epoch to svc_daemon;

-- Chains on which the swap provider swaps, according to its own report. The API requests them when it starts. The
-- daemon, which has no key of the provider, reads them here, so that webhooks show the same `swapAlternatives` as
-- responses.
create table swap_chains (
  provider   text primary key check (length(provider) between 1 and 20),
  chain_ids  bigint[] not null check (cardinality(chain_ids) <= 1000),
  fetched_at timestamptz not null default now()
);

grant select on deployments, pairs, chain_heads, swap_chains to svc_api;
grant insert, update on swap_chains to svc_api;
grant select on swap_chains to svc_daemon;
-- Only an operator pauses a pair or abandons a network, and a pair keeps its contract and decimals. `record_head`
-- writes the heads.
grant select, insert on deployments, pairs, feeds to svc_daemon;
grant update (confirmations, block_time_ms, quorum, quorum_responded_at, contracts_match, ponder_schema,
    watermark_version, head_number, head_timestamp, confirmed_head_number, confirmed_head_timestamp, watermark_number,
    max_head_number, max_head_at,
    agreed_head_number, agreed_head_hash, agreed_head_timestamp, idle_at, feed_ahead_since, repair_requested_at,
    repair_from_block, repair_count, owner_epoch) on deployments to svc_daemon;
grant update (enabled) on pairs to svc_daemon;
grant update (created_at, retired_at) on feeds to svc_daemon;
grant select, delete on chain_heads to svc_daemon;
grant select on deployments, pairs, feeds, chain_heads to svc_operator;
grant update (paused_at) on pairs to svc_operator;
grant update (abandoned_at, repair_requested_at, repair_from_block) on deployments to svc_operator;
