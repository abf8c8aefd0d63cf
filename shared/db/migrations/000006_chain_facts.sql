-- What the chains did to our addresses. Identity survives a reorganization: the ordinal of a transfer among its
-- token's transfers to this charge in its transaction, never the log index, which changes on re-inclusion.
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

  -- Where the canonical chain has it now.
  presence          text not null check (presence in ('present', 'missing', 'vanished')),
  block_number      bigint,
  block_hash        text,
  block_timestamp   bigint,
  log_index         int,
  ponder_schema     text, -- the schema that showed it last; only that one can miss it
  missing_since     timestamptz,

  detected_at       timestamptz not null default now(),
  credited_at       timestamptz,
  on_time           boolean, -- mined before expiresAt; set when credited
  caused_transition boolean not null default false,

  unique (chain_id, tx_hash, token_address, charge_id, ordinal),
  check ((source = 'sandbox') = (chain_id is null)),
  check (chain_id is null or (token_address is not null and tx_hash is not null and ordinal is not null
         and block_number is not null)),
  check (credited_at is null or accepted)
);

create index transfers_of_charge on transfers (charge_id, id);
create index transfers_awaiting_depth on transfers (chain_id, block_number)
  where credited_at is null and accepted and presence = 'present';
create index transfers_not_final on transfers (chain_id, block_number) where presence <> 'vanished';
create index transfers_missing on transfers (chain_id, charge_id) where presence = 'missing';

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
  detected_at     timestamptz not null default now(),
  announced_at    timestamptz, -- the payout was told that somebody distributes; not yet at depth
  applied_at      timestamptz, -- counted in the pair's ledger, at depth
  unique (chain_id, tx_hash, token_address, charge_id, kind, ordinal)
);

create index split_events_of_charge on split_events (charge_id, id);
create index split_events_awaiting_depth on split_events (chain_id, block_number)
  where applied_at is null and presence = 'present';
create index split_events_unannounced on split_events (charge_id)
  where announced_at is null and presence = 'present';
create index split_events_not_final on split_events (chain_id, block_number) where presence <> 'vanished';

-- The owed ledger, one row per charge and pair that ever moved: owed = credited - distributed.
create table charge_pairs (
  charge_id          text not null references charges,
  network            text not null,
  token              text not null,
  chain_id           bigint not null references deployments,
  token_address      text not null,
  credited_atomic    numeric(78, 0) not null default 0 check (credited_atomic >= 0),
  distributed_atomic numeric(78, 0) not null default 0 check (distributed_atomic >= 0),
  merchant_held_atomic numeric(78, 0) not null default 0,
  primary key (charge_id, network, token)
);

grant select on transfers, split_events, charge_pairs to svc_api, svc_operator;
grant select, insert, update on transfers, split_events, charge_pairs to svc_daemon;
