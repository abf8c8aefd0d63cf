-- What is done about money that neither the watcher nor a payout has moved: shares that a split holds for one
-- recipient, and the reconciliation of our rows with the chains. New columns are null: no table is rewritten.

-- What a split holds for a recipient whose payout failed, and when we try to release it.
create table held_shares (
  id              bigint generated always as identity primary key,
  charge_id       text not null references charges,
  chain_id        bigint not null references deployments,
  token_address   text not null,
  recipient       text not null,
  held_atomic     numeric(78, 0) not null, -- PayoutHeld less PayoutReleased, at depth
  next_attempt_at timestamptz not null,
  last_error      text,
  unique (charge_id, chain_id, token_address, recipient)
);

create index held_shares_due on held_shares (chain_id, next_attempt_at) where held_atomic > 0;

alter table relayer_transactions add column held_share_id bigint references held_shares;
create index relayer_transactions_of_held_share on relayer_transactions (held_share_id)
  where held_share_id is not null;

-- How far the reconciliation of a chain has looked; the row is also what one daemon claims each turn.
create table reconciliations (
  chain_id       bigint primary key references deployments,
  scanned_number bigint not null, -- every block up to it was at depth and has been compared
  next_at        timestamptz not null
);

-- The inclusion that reconciliation found at confirmation depth by itself. While it is the row's, the row is deep
-- whatever head the feed has: so money is credited and settled while Ponder is down.
alter table transfers add column deep_block_hash text;
alter table split_events add column deep_block_hash text;
alter table escrow_movements add column deep_block_hash text;

grant select, insert, update on held_shares, reconciliations to svc_daemon;
grant select on held_shares to svc_api;
grant select on held_shares, reconciliations to svc_operator;
