-- One payout per paid pair of a charge, and the relayer's transactions that serve them.
create table payouts (
  id                    bigint generated always as identity primary key,
  charge_id             text not null,
  network               text not null,
  token                 text not null,
  chain_id              bigint not null references deployments,
  token_address         text not null,
  split_address         text not null,
  environment           text not null,
  organization_id       text not null,
  status                text not null default 'pending'
                        check (status in ('pending', 'processing', 'completed', 'failed')),
  attempts              int not null default 0 check (attempts >= 0),
  available_since       timestamptz not null default now(),
  grace_ends_at         timestamptz not null,
  next_attempt_at       timestamptz not null, -- when our own worker may act
  locked_until          timestamptz, -- the claim's lease
  held_since            timestamptz, -- nobody can be paid now: rechecked hourly, shown as pending
  processing_started_at timestamptz,
  completed_at          timestamptz,
  distributor_address   text,
  tx_hash               text,
  last_error            text,
  created_at            timestamptz not null default now(),
  unique (charge_id, network, token),
  foreign key (charge_id, network, token) references charge_pairs,
  check ((status = 'completed') = (completed_at is not null))
);

create index payouts_due on payouts (next_attempt_at) where status in ('pending', 'processing');
create index payouts_claimable on payouts (environment, available_since, id) where status = 'pending';

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
  tx_hash          text primary key,
  chain_id         bigint not null,
  relayer          text not null,
  nonce            bigint not null,
  payout_id        bigint references payouts,
  raw_transaction  text not null,
  max_fee_per_gas  numeric(78, 0) not null,
  status           text not null default 'signed' check (status in ('signed', 'mined', 'reverted', 'final', 'replaced')),
  created_at       timestamptz not null default now(),
  last_broadcast_at timestamptz,
  block_number     bigint,
  foreign key (chain_id, relayer) references relayers
);

create unique index relayer_transactions_one_per_nonce on relayer_transactions (chain_id, relayer, nonce)
  where status <> 'replaced';
create index relayer_transactions_open on relayer_transactions (chain_id, relayer, nonce)
  where status in ('signed', 'mined');
create index relayer_transactions_replaced on relayer_transactions (chain_id, relayer, nonce)
  where status = 'replaced';
create index relayer_transactions_of_payout on relayer_transactions (payout_id, created_at);

grant select on payouts to svc_api;
grant select on payouts, relayers, relayer_transactions to svc_operator;
grant select, insert, update on payouts, relayers, relayer_transactions to svc_daemon;
