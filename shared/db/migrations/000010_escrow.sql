-- The releaser's orders, and the checks before an escrow ends.

-- Orders whose transaction was signed: which Safe transaction, at which nonce of which relayer. A relayer's transaction
-- may be replaced, so the nonce and not the hash identifies the transaction that executes the order.
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
  -- Status of that transaction. `mined`: not at depth yet. `reverted`: moved no money, but cost us gas. `failed`:
  -- cannot be mined any longer.
  status        text not null default 'signed' check (status in ('signed', 'mined', 'final', 'reverted', 'failed')),
  -- The chain's head, from the node that read the Safe, after that read and before the broadcast. The order can only
  -- execute in a later block, so an equal transfer that the releaser sent before is not mistaken for it. Null: every
  -- block counts.
  after_block   bigint check (after_block >= 0),
  created_at    timestamptz not null,
  unique (chain_id, relayer, nonce),
  foreign key (chain_id, relayer) references relayers
);

create index escrow_orders_of_charge on escrow_orders (charge_id);
create index escrow_orders_in_flight on escrow_orders (chain_id, created_at) where status in ('signed', 'mined');

-- An escrow that its releaser ended on chain. Its end waits until the balances of its Safe are compared with our rows:
-- one row for each chain that its charge accepts. The end waits while a row has 'excess', and at most 60 s for a
-- balance that cannot be read. The rows are deleted when the escrow ends, or turns out not to have ended.
create table escrow_end_checks (
  charge_id       text not null references charges,
  chain_id        bigint not null references deployments,
  due_at          timestamptz not null default now(),
  next_at         timestamptz not null default now(), -- when a daemon may read the balances; also the claim's lease
  result          text check (result in ('explained', 'excess')), -- null: not read yet
  checked_at      timestamptz,
  block_number    bigint,
  -- The token with the unexplained balance, and both balances in its units.
  token_address   text,
  expected_atomic numeric(78, 0),
  found_atomic    numeric(78, 0),
  primary key (charge_id, chain_id)
);

create index escrow_end_checks_due on escrow_end_checks (chain_id, next_at);

grant select on escrow_orders, escrow_end_checks to svc_operator;
grant select on escrow_orders to svc_api;
grant select, insert on escrow_orders to svc_daemon;
-- A signed order never changes.
grant update (status) on escrow_orders to svc_daemon;
grant select, insert, delete on escrow_end_checks to svc_daemon;
grant update (next_at, result, checked_at, block_number, token_address, expected_atomic, found_atomic)
  on escrow_end_checks to svc_daemon;
