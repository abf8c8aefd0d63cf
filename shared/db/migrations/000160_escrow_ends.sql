-- Blocks nobody: one column without a default, and a new table.

-- The chain's head, read from the node that the Safe was read from, after it was read and before the order was broadcast.
-- Whatever executes the order is in a later block. So an equal transfer that the releaser sent before is not taken for the
-- order. Null where the build before this one has signed: then every block counts.
alter table escrow_orders add column after_block bigint check (after_block >= 0);

-- An escrow that has ended by what its releaser did on chain, and whose end waits until the balances of its Safe are
-- compared with our rows: one row for each chain that its charge accepts. The end waits while a row says 'excess', and at
-- most 60 seconds for a balance that cannot be read. The rows are deleted when the escrow ends, or has not ended after all.
create table escrow_end_checks (
  charge_id       text not null references charges,
  chain_id        bigint not null references deployments,
  due_at          timestamptz not null default now(),
  next_at         timestamptz not null default now(), -- when a daemon may read the balances; also the claim's lease
  result          text check (result in ('explained', 'excess')), -- null: not read yet
  checked_at      timestamptz,
  block_number    bigint,
  -- The token of which the Safe holds more than our rows explain, in its units.
  token_address   text,
  expected_atomic numeric(78, 0),
  found_atomic    numeric(78, 0),
  primary key (charge_id, chain_id)
);

create index escrow_end_checks_due on escrow_end_checks (chain_id, next_at);

grant select on escrow_end_checks to svc_operator;
grant select, insert, delete on escrow_end_checks to svc_daemon;
grant update (next_at, result, checked_at, block_number, token_address, expected_atomic, found_atomic)
  on escrow_end_checks to svc_daemon;
