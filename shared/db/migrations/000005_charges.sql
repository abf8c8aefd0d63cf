-- The charge: frozen terms, then the state that only its actor moves. Not partitioned by time: address and
-- idempotency key are unique over all of them.
create table charges (
  id                 text primary key check (id ~ '^ch_[0-9a-z]{20,}$'),
  organization_id    text not null references organizations,
  environment        text not null check (environment in ('live', 'test')),
  api_key_id         text references api_keys,
  family             text not null check (family in ('evm', 'tron')),

  -- Terms, frozen at creation.
  amount_micro       numeric(24, 0) not null check (amount_micro > 0),   -- 1e-6 dollars, grossed up
  fee_payer          text not null check (fee_payer in ('merchant', 'payer')),
  fee_percent        numeric(7, 4) not null check (fee_percent >= 0 and fee_percent < 100),
  escrow_fee_percent numeric(7, 4),
  accepted_payments  text[] not null check (cardinality(accepted_payments) between 1 and 18), -- 'USDC/base'
  accepted_chains    bigint[] not null,
  address            text not null unique check (address ~ '^0x[0-9a-f]{40}$'),
  split_address      text not null check (split_address ~ '^0x[0-9a-f]{40}$'),
  split_terms        json not null, -- { factory, recipients, allocations, totalAllocation, distributionIncentive }
  split_recipients   json not null, -- echo: [{ address, percent, label? }]
  escrow_releaser    text check (escrow_releaser ~ '^0x[0-9a-f]{40}$'),
  external_ref       text,
  source             text,
  metadata           text, -- the JSON text as it was sent
  redirect_url       text,
  idempotency_key    text,
  request_hash       bytea not null,
  created_at         timestamptz not null,
  expires_at         timestamptz not null check (expires_at > created_at),

  -- State, moved by the charge actor under a row lock.
  status             text not null default 'pending'
                     check (status in ('pending', 'partially_paid', 'confirmed', 'expired', 'underpaid')),
  settlement_status  text check (settlement_status in ('pending', 'completed', 'failed')),
  received_atto      numeric(78, 0) check (received_atto >= 0), -- 1e-18 dollars; null until the first credit
  on_time_atto       numeric(78, 0) not null default 0, -- the part that may move the status (decisions 3.5)
  is_overpaid        boolean generated always as (coalesce(received_atto, 0) > amount_micro * 1000000000000) stored,
  paid_with          text[] not null default '{}',
  confirmed_at       timestamptz,
  settled_at         timestamptz,
  last_activity_at   timestamptz not null,
  escrow_released_at timestamptz,
  escrow_refunded_at timestamptz check (escrow_refunded_at is null or escrow_released_at is null),
  parked_at          timestamptz, -- a turn failed for this charge alone; an alert, retried by an operator

  check (on_time_atto <= coalesce(received_atto, 0)),
  check ((status = 'confirmed') = (confirmed_at is not null)),
  check (settlement_status is distinct from 'completed' or settled_at is not null)
);

create unique index charges_by_idempotency_key on charges (organization_id, environment, idempotency_key)
  where idempotency_key is not null;
create unique index charges_by_split_address on charges (split_address) where escrow_releaser is not null;
create index charges_newest_first on charges (organization_id, environment, created_at desc, id desc);
create index charges_by_status on charges (organization_id, environment, status, created_at desc, id desc);
create index charges_overpaid on charges (organization_id, environment, created_at desc, id desc) where is_overpaid;
create index charges_open_by_expiry on charges (expires_at) where status in ('pending', 'partially_paid');
create index charges_open_by_creation on charges (created_at) where status in ('pending', 'partially_paid');

grant select on charges to svc_api, svc_operator;
grant select, insert, update on charges to svc_daemon;
grant update (parked_at) on charges to svc_operator;
