-- The charge: frozen terms, then the state that only its actor changes. The table is not partitioned by time, because
-- address and idempotency key are unique over all charges.
create table charges (
  id                   text primary key check (id ~ '^ch_[0-9a-z]{20,}$'),
  organization_id      text not null references organizations,
  environment          text not null check (environment in ('live', 'test')),
  api_key_id           text references api_keys,
  family               text not null check (family in ('evm', 'tron')),
  -- Whether the charge is on no chain, decided once at its creation. The payments, expiry and escrow of such a charge
  -- are simulated, and no chain is read for it.
  is_simulated         boolean not null default false,

  -- Terms, frozen at creation.
  amount_micro         numeric(24, 0) not null check (amount_micro > 0),   -- 1e-6 dollars, grossed up
  fee_payer            text not null check (fee_payer in ('merchant', 'payer')),
  fee_percent          numeric(7, 4) not null check (fee_percent >= 0 and fee_percent < 100),
  escrow_fee_percent   numeric(7, 4),
  accepted_payments    text[] not null check (cardinality(accepted_payments) between 1 and 64), -- 'USDC/base'
  accepted_chains      bigint[] not null,
  address              text not null unique check (address ~ '^0x[0-9a-f]{40}$'),
  split_address        text not null check (split_address ~ '^0x[0-9a-f]{40}$'),
  split_terms          json not null, -- { factory, recipients, allocations, totalAllocation, distributionIncentive }
  split_recipients     json not null, -- echo: [{ address, percent, label? }]
  escrow_releaser      text check (escrow_releaser ~ '^0x[0-9a-f]{40}$'),
  external_ref         text,
  source               text,
  metadata             text, -- the JSON text as it was sent
  redirect_url         text,
  idempotency_key      text,
  request_hash         bytea not null,
  api_request_id       uuid, -- `Request-Id` of the response; finds the payment in both processes' logs
  created_at           timestamptz not null,
  expires_at           timestamptz not null check (expires_at > created_at),

  -- State, changed by the charge actor under a row lock.
  status               text not null default 'pending'
                     check (status in ('pending', 'partially_paid', 'confirmed', 'expired', 'underpaid')),
  settlement_status    text check (settlement_status in ('pending', 'completed', 'failed')),
  received_atto        numeric(78, 0) check (received_atto >= 0), -- 1e-18 dollars; null until the first credit
  on_time_atto         numeric(78, 0) not null default 0, -- the part that can change the status (decisions 3.5)
  is_overpaid          boolean generated always as (coalesce(received_atto, 0) > amount_micro * 1000000000000) stored,
  overpaid_announced   boolean not null default false, -- `charge.overpaid` is sent once, even if a strike intervenes
  paid_with            text[] not null default '{}',
  confirmed_at         timestamptz,
  settled_at           timestamptz,
  last_activity_at     timestamptz not null,
  escrow_released_at   timestamptz,
  escrow_refunded_at   timestamptz check (escrow_refunded_at is null or escrow_released_at is null),
  quarantined_at       timestamptz, -- a turn failed for this charge only; raises an alert, an operator retries it
  -- Build that quarantined the charge; null if it is not quarantined. Another build retries the charge automatically,
  -- because the build that quarantined it might have lacked its network.
  quarantined_by_build text,

  check (on_time_atto <= coalesce(received_atto, 0)),
  check ((status = 'confirmed') = (confirmed_at is not null)),
  check (settlement_status is distinct from 'completed' or settled_at is not null),
  -- A live charge on no chain would lose its payments. A charge on no chain expires by our own clock, so no other
  -- charge may be without a chain.
  constraint charges_simulated_in_test_only check (not is_simulated or environment = 'test'),
  constraint charges_simulated_on_no_chain check (is_simulated = (cardinality(accepted_chains) = 0))
);

create unique index charges_by_idempotency_key on charges (organization_id, environment, idempotency_key)
  where idempotency_key is not null;
create unique index charges_by_split_address on charges (split_address) where escrow_releaser is not null;
-- The index of the list. The entries of each status and overpayment are a range of it, in the list's order. A list with
-- or without these filters therefore merges at most ten ranges, and reads hardly more entries than it shows
-- (shared/db/charges/api/charges-list.ts).
create index charges_listed on charges (organization_id, environment, status, is_overpaid, created_at, id);
-- The same ranges for a list by externalRef.
create index charges_by_external_ref
  on charges (organization_id, environment, external_ref, status, is_overpaid, created_at, id)
  where external_ref is not null;
create index charges_open_by_expiry on charges (expires_at) where status in ('pending', 'partially_paid');
-- The open charges in the order of reconciliation. Ids sort by time, so the oldest comes first.
create index charges_open on charges (id) where status in ('pending', 'partially_paid');
-- The order in which charges leave the range scans of reconciliation.
create index charges_by_activity on charges (last_activity_at, id);
-- For the operator's list and the daemon's gauge: rarely more than one row among millions.
create index charges_quarantined on charges (quarantined_at) where quarantined_at is not null;

-- The search by `paid_with`: for every paid charge one row per pair ('USDC/base'), token and network. Its only index is
-- in the order of the list, as `charges_listed`. The triggers maintain the rows, so no foreign key is needed. A new
-- charge has no such row, because it was not paid yet.
create table charges_by_paid_with (
  organization_id text not null,
  environment     text not null,
  paid_with       text not null,
  status          text not null,
  is_overpaid     boolean not null,
  created_at      timestamptz not null,
  charge_id       text not null,
  primary key (organization_id, environment, paid_with, status, is_overpaid, created_at, charge_id)
);

create function list_search_keys(paid_with text[]) returns text[] language sql immutable as $$
  select array(
    select distinct k.key from unnest(paid_with) as pair,
      lateral (values (pair), (split_part(pair, '/', 1)), (split_part(pair, '/', 2))) as k (key))
$$;

create function sync_charges_by_paid_with() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from charges_by_paid_with p
  where p.organization_id = old.organization_id and p.environment = old.environment
    and p.paid_with = any (list_search_keys(old.paid_with)) and p.status = old.status
    and p.is_overpaid = old.is_overpaid and p.created_at = old.created_at and p.charge_id = old.id;
  insert into charges_by_paid_with (organization_id, environment, paid_with, status, is_overpaid, created_at, charge_id)
  select new.organization_id, new.environment, key, new.status, new.is_overpaid, new.created_at, new.id
  from unnest(list_search_keys(new.paid_with)) as key;
  return null;
end
$$;

-- Triggers, because the table is an index of `charges`: each update of a charge must maintain it, and no role may
-- write it.
create trigger charges_sync_paid_with after update on charges for each row
  when (new.paid_with <> '{}' and (old.paid_with, old.status, old.is_overpaid)
    is distinct from (new.paid_with, new.status, new.is_overpaid))
  execute function sync_charges_by_paid_with();
-- A charge whose last credit is struck has no pair any longer; the trigger above does not handle that case.
create trigger charges_clear_paid_with after update on charges for each row
  when (new.paid_with = '{}' and old.paid_with <> '{}') execute function sync_charges_by_paid_with();

grant select on charges_by_paid_with to svc_api, svc_operator;
grant select on charges to svc_api, svc_operator;
-- Only `create_charges` and `import_charge` insert charges. The daemon may update the state only. The promised terms
-- (who is paid, at which fee, to which address, how much) are written once, and no defect or break-in can change them
-- later. The daemon's grants on every other table follow the same rule.
grant select on charges to svc_daemon;
grant update (status, settlement_status, received_atto, on_time_atto, overpaid_announced, paid_with, confirmed_at,
    settled_at, last_activity_at, escrow_released_at, escrow_refunded_at, quarantined_at, quarantined_by_build)
  on charges to svc_daemon;
grant select (address, split_address, escrow_releaser, is_simulated) on charges to svc_ponder;
grant update (quarantined_at, quarantined_by_build) on charges to svc_operator;
