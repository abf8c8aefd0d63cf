-- The owed ledger, the payouts that empty it, and the shares that a split holds for recipients who could not be paid.

-- One row per charge and pair that was ever paid: owed = payable - distributed. Credited money is already in the split,
-- except for an escrow charge: there, only the money that was released from the Safe into the split is payable.
--
-- If another contract logs a token's transfers with more decimals than the token has (Arc), incoming sums are exact to
-- 10^-18 dollars: the part below a unit of the token is in a `…_dust_atto` column, always less than a unit. Only the
-- total is rounded.
create table charge_ledgers (
  charge_id            text not null references charges,
  network              text not null,
  token                text not null,
  chain_id             bigint not null references deployments,
  token_address        text not null,
  credited_atomic      numeric(78, 0) not null default 0 check (credited_atomic >= 0),
  credited_dust_atto   numeric(18, 0) not null default 0 check (credited_dust_atto >= 0),
  -- The part of the credits that made the charge confirmed or underpaid; for an expired charge, the part worth a
  -- payout.
  settlement_atomic    numeric(78, 0) not null default 0 check (settlement_atomic >= 0),
  settlement_dust_atto numeric(18, 0) not null default 0 check (settlement_dust_atto >= 0),
  -- `released`: the amount that reached the split out of the Safe, in any transaction. `left_safe`: the amount that
  -- left the Safe in release transactions, including a token's own fee, which never reaches the split. Null: no
  -- escrow.
  released_atomic      numeric(78, 0) check (released_atomic >= 0),
  released_dust_atto   numeric(18, 0) not null default 0 check (released_dust_atto >= 0),
  withdrawn_atomic     numeric(78, 0) check (withdrawn_atomic >= 0),
  withdrawn_dust_atto  numeric(18, 0) not null default 0 check (withdrawn_dust_atto >= 0),
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
  leased_until          timestamptz, -- the claim's lease
  held_since            timestamptz, -- no recipient can be paid now; checked again every hour, shown as pending
  processing_started_at timestamptz,
  completed_at          timestamptz,
  distributor_address   text,
  tx_hash               text,
  last_error            text,
  created_at            timestamptz not null default now(),
  unique (charge_id, network, token),
  foreign key (charge_id, network, token) references charge_ledgers,
  check ((status = 'completed') = (completed_at is not null))
);

-- A chain's worker must not read payouts that wait for another chain's node. The worker serves the organizations in
-- turn, each with its own due payouts.
create index payouts_due on payouts (chain_id, next_attempt_at, id) where status in ('pending', 'processing');
create index payouts_due_of_organization on payouts (chain_id, organization_id, next_attempt_at, id)
  where status in ('pending', 'processing');
-- Finds the sent payouts, regardless of the number of waiting payouts on any chain.
create index payouts_processing on payouts (chain_id) where status = 'processing';
-- The keeper feed also lists failed payouts: any account may still distribute them.
create index payouts_claimable on payouts (environment, available_since, id) where status in ('pending', 'failed');
-- An organization's payouts in the order of time, for metrics. Without this index, a query reads the payouts of every
-- organization.
create index payouts_of_organization on payouts (organization_id, environment, created_at);

-- The amount that a split holds for a recipient whose payout failed, and when we try to release it.
create table held_shares (
  id              bigint generated always as identity primary key,
  charge_id       text not null references charges,
  chain_id        bigint not null references deployments,
  token_address   text not null,
  recipient       text not null,
  held_atomic     numeric(78, 0) not null, -- the sum of PayoutHeld minus the sum of PayoutReleased, at depth
  next_attempt_at timestamptz not null,
  last_error      text,
  unique (charge_id, chain_id, token_address, recipient)
);

create index held_shares_due on held_shares (chain_id, next_attempt_at, id) where held_atomic > 0;

grant select on charge_ledgers, payouts, held_shares to svc_api, svc_operator;
grant select, insert on charge_ledgers, payouts, held_shares to svc_daemon;
-- The daemon may change a ledger's sums, but not its token, and a payout's progress, but not its split.
grant update (credited_atomic, credited_dust_atto, settlement_atomic, settlement_dust_atto, released_atomic,
    released_dust_atto, withdrawn_atomic, withdrawn_dust_atto, distributed_atomic, merchant_held_atomic)
  on charge_ledgers to svc_daemon;
grant update (status, attempts, available_since, grace_ends_at, next_attempt_at, leased_until, held_since,
    processing_started_at, completed_at, distributor_address, tx_hash, last_error) on payouts to svc_daemon;
grant update (held_atomic, next_attempt_at, last_error) on held_shares to svc_daemon;
