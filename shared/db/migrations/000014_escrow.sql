-- What leaves an escrow charge's Safe, and what its releaser ordered through the API. Blocks writers of charge_pairs
-- while that small table is rewritten.

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
  amount_atomic   numeric(78, 0) not null check (amount_atomic > 0),
  presence        text not null check (presence in ('present', 'missing', 'vanished')),
  block_number    bigint not null,
  block_hash      text not null,
  block_timestamp bigint not null,
  log_index       int not null,
  ponder_schema   text,
  missing_since   timestamptz,
  detected_at     timestamptz not null default now(),
  applied_at      timestamptz, -- the charge was told of it, at depth
  unique (chain_id, tx_hash, token_address, charge_id, ordinal)
);

create index escrow_movements_of_charge on escrow_movements (charge_id, id);
create index escrow_movements_awaiting_depth on escrow_movements (chain_id, block_number)
  where applied_at is null and presence = 'present';
create index escrow_movements_not_final on escrow_movements (chain_id, block_number) where presence <> 'vanished';

-- The releaser's orders that were signed for relaying: which Safe transaction, at which nonce of which relayer. A
-- relayer's transaction may be replaced, so the nonce and not the hash says which one carries it.
create table escrow_orders (
  request_id    text primary key,
  charge_id     text not null references charges,
  action        text not null check (action in ('release', 'refund')),
  chain_id      bigint not null,
  token_address text not null,
  destination   text not null,
  amount_atomic numeric(78, 0) not null check (amount_atomic > 0),
  relayer       text not null,
  nonce         bigint not null,
  -- Where its transaction is: `mined` is not yet deep; `reverted` has moved nothing and cost us its gas, `failed` was lost.
  status        text not null default 'signed' check (status in ('signed', 'mined', 'final', 'reverted', 'failed')),
  created_at    timestamptz not null,
  unique (chain_id, relayer, nonce),
  foreign key (chain_id, relayer) references relayers
);

create index escrow_orders_of_charge on escrow_orders (charge_id);
create index escrow_orders_under_way on escrow_orders (chain_id, created_at) where status in ('signed', 'mined');

-- Owed = payable - distributed. What is credited lies in the split already, unless a Safe stands before it: then only
-- what was released into the split is payable.
alter table charge_pairs
  add column released_atomic numeric(78, 0) check (released_atomic >= 0), -- null: no escrow
  add column payable_atomic numeric(78, 0) not null
    generated always as (coalesce(released_atomic, credited_atomic)) stored;

grant select on escrow_movements, escrow_orders to svc_api, svc_operator;
grant select, insert, update on escrow_movements, escrow_orders to svc_daemon;
