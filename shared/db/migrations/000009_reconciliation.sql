-- The comparison of our rows with the chains, which believes no feed.

-- How far the reconciliation of a chain has looked; the row is also what one daemon claims each turn.
create table reconciliations (
  chain_id       bigint primary key references deployments,
  scanned_number bigint not null, -- every block up to it was at depth and has been compared
  next_at        timestamptz not null
);

-- A charge ends unpaid only on evidence from elsewhere than its feed: a node once answered a range of blocks with
-- nothing, Ponder remembered that for ever, and a payment in it stayed unknown. So its balances are read from the chain,
-- where it has come past the deadline, and compared with our rows. One row for each open charge whose time is up on a
-- chain, and what was read of it there; kept when the charge ends, as the reason why it could.
create table balance_evidence (
  charge_id       text not null references charges,
  chain_id        bigint not null references deployments,
  -- clear: past the deadline, our rows explain all that is there. quiet: so at the head of a chain that stands still.
  -- excess: there is more than they explain, which holds the charge open. unread: no node has answered yet.
  result          text not null default 'unread' check (result in ('unread', 'clear', 'quiet', 'excess')),
  block_number    bigint,
  block_timestamp bigint, -- Unix seconds, the block's own
  checked_at      timestamptz,
  -- Of an excess: what is there and what was expected, in atomic units, and when all that answered had been searched.
  account         text,
  token_address   text,
  expected_atomic numeric,
  found_atomic    numeric,
  searched_at     timestamptz,
  next_at         timestamptz not null,
  primary key (charge_id, chain_id),
  check (result = 'unread' or (block_number is not null and block_timestamp is not null and checked_at is not null)),
  check (result <> 'excess' or found_atomic > expected_atomic)
);

create index balance_evidence_due on balance_evidence (chain_id, next_at) where result <> 'clear';
create index balance_evidence_held on balance_evidence (charge_id) where result = 'excess';

-- An operator's word that a charge may end though its balances are not explained, or cannot be read.
create table expiry_orders (
  charge_id  text primary key references charges,
  because    text not null check (btrim(because) <> ''),
  ordered_by text not null default session_user,
  ordered_at timestamptz not null default now()
);

grant select on reconciliations, balance_evidence, expiry_orders to svc_operator;
grant insert on expiry_orders to svc_operator;
grant select on expiry_orders to svc_daemon;
grant select, insert on reconciliations to svc_daemon;
grant update (scanned_number, next_at) on reconciliations to svc_daemon;
grant select, insert, delete on balance_evidence to svc_daemon;
grant update (result, block_number, block_timestamp, checked_at, account, token_address, expected_atomic, found_atomic,
    searched_at, next_at) on balance_evidence to svc_daemon;
