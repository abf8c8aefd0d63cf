-- The owed ledger, the payouts that empty it, and what a split holds for those who could not be paid.

-- One row per charge and pair that ever moved: owed = payable - distributed. What is credited lies in the split already,
-- unless a Safe stands before it: then only what was released into the split is payable.
--
-- Sums of what came in are kept to 10^-18 dollars where another contract logs a token's transfers with more decimals than
-- the token has (Arc): what is below a unit of the token stands beside the sum, always less than a unit, and nothing is
-- rounded but the whole of it.
create table charge_pairs (
  charge_id            text not null references charges,
  network              text not null,
  token                text not null,
  chain_id             bigint not null references deployments,
  token_address        text not null,
  credited_atomic      numeric(78, 0) not null default 0 check (credited_atomic >= 0),
  credited_dust_atto   numeric(18, 0) not null default 0 check (credited_dust_atto >= 0),
  -- The part of what was credited that made the charge confirmed or underpaid; of an expired one, what was worth a payout.
  settling_atomic      numeric(78, 0) not null default 0 check (settling_atomic >= 0),
  settling_dust_atto   numeric(18, 0) not null default 0 check (settling_dust_atto >= 0),
  -- What reached the split out of the Safe, by whatever transaction, and what left the Safe in the transactions that are
  -- releases: a token's own fee too, which never reaches the split. Null: no escrow.
  released_atomic      numeric(78, 0) check (released_atomic >= 0),
  released_dust_atto   numeric(18, 0) not null default 0 check (released_dust_atto >= 0),
  left_safe_atomic     numeric(78, 0) check (left_safe_atomic >= 0),
  left_safe_dust_atto  numeric(18, 0) not null default 0 check (left_safe_dust_atto >= 0),
  payable_atomic       numeric(78, 0) not null
                       generated always as (coalesce(released_atomic, credited_atomic)) stored,
  distributed_atomic   numeric(78, 0) not null default 0 check (distributed_atomic >= 0),
  merchant_held_atomic numeric(78, 0) not null default 0,
  primary key (charge_id, network, token)
);

-- One per paid pair of a charge.
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

-- A chain's worker must not read what waits for another chain's node, and takes one organization after the other, each
-- with its own that are due.
create index payouts_due on payouts (chain_id, next_attempt_at, id) where status in ('pending', 'processing');
create index payouts_due_of_organization on payouts (chain_id, organization_id, next_attempt_at, id)
  where status in ('pending', 'processing');
-- What has been sent, beside any number that wait and on whatever chain.
create index payouts_processing on payouts (chain_id) where status = 'processing';
-- The keeper feed lists what has failed as well: anybody may still distribute it.
create index payouts_claimable on payouts (environment, available_since, id) where status in ('pending', 'failed');
-- Those of one organization in the order of time, for metrics: without it a query reads everybody's.
create index payouts_of_organization on payouts (organization_id, environment, created_at);

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

create index held_shares_due on held_shares (chain_id, next_attempt_at, id) where held_atomic > 0;

grant select on charge_pairs, payouts, held_shares to svc_api, svc_operator;
grant select, insert on charge_pairs, payouts, held_shares to svc_daemon;
-- A ledger's sums, but not of which token they are; a payout's progress, but not which split it empties.
grant update (credited_atomic, credited_dust_atto, settling_atomic, settling_dust_atto, released_atomic,
    released_dust_atto, left_safe_atomic, left_safe_dust_atto, distributed_atomic, merchant_held_atomic)
  on charge_pairs to svc_daemon;
grant update (status, attempts, available_since, grace_ends_at, next_attempt_at, locked_until, held_since,
    processing_started_at, completed_at, distributor_address, tx_hash, last_error) on payouts to svc_daemon;
grant update (held_atomic, next_attempt_at, last_error) on held_shares to svc_daemon;
