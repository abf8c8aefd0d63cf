-- The transactions that we sign: for payouts, held shares and the releasers of escrows.

-- One row per relayer and chain; its lock is what makes nonces unique between daemons.
create table relayers (
  chain_id   bigint not null references deployments,
  address    text not null,
  next_nonce bigint not null,
  primary key (chain_id, address)
);

-- Nonce and signed bytes are committed before the first broadcast; until the event is final only these bytes, or
-- a replacement at the same nonce, go out.
create table relayer_transactions (
  tx_hash           text primary key,
  chain_id          bigint not null,
  relayer           text not null,
  nonce             bigint not null,
  payout_id         bigint references payouts,
  held_share_id     bigint references held_shares,
  raw_transaction   text not null,
  max_fee_per_gas   numeric(78, 0) not null,
  -- One that must not, or can not, be mined any more is replaced by an empty transfer to ourselves, which only uses its
  -- nonce. It moves nothing, so that its success is told as `reverted`: what it stands for did not happen.
  is_empty          boolean not null default false,
  valid_until       timestamptz, -- mined later, it would be against somebody's will
  status            text not null default 'signed' check (status in ('signed', 'mined', 'reverted', 'final', 'replaced')),
  created_at        timestamptz not null default now(),
  last_broadcast_at timestamptz,
  refused_since     timestamptz, -- no node took it since then; null: one did, or none was heard
  block_number      bigint,
  foreign key (chain_id, relayer) references relayers
);

create unique index relayer_transactions_one_per_nonce on relayer_transactions (chain_id, relayer, nonce)
  where status <> 'replaced';
create index relayer_transactions_open on relayer_transactions (chain_id, relayer, nonce)
  where status in ('signed', 'mined');
create index relayer_transactions_replaced on relayer_transactions (chain_id, relayer, nonce)
  where status = 'replaced';
create index relayer_transactions_of_payout on relayer_transactions (payout_id, created_at);
create index relayer_transactions_of_held_share on relayer_transactions (held_share_id)
  where held_share_id is not null;

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

grant select on relayers, relayer_transactions, escrow_orders to svc_operator;
grant select on escrow_orders to svc_api;
grant select, insert on relayers, relayer_transactions, escrow_orders to svc_daemon;
-- What was signed stays what was signed.
grant update (next_nonce) on relayers to svc_daemon;
grant update (status, created_at, last_broadcast_at, block_number, refused_since) on relayer_transactions
  to svc_daemon;
grant update (status) on escrow_orders to svc_daemon;
