-- Addresses that charges may pay, and the fees and factories that charges may have.

-- Addresses that an organization may pay. `payout_stopped_at` is a separate fact (decisions 6.1): after the address is
-- registered again, the key whose payout address it is stays stopped until the address is elevated again.
create table recipients (
  id                text primary key,
  organization_id   text not null references organizations,
  environment       text not null check (environment in ('live', 'test')),
  address           text not null check (address ~ '^0x[0-9a-f]{40}$'),
  family            text not null check (family in ('evm', 'tron')),
  label             text check (length(label) between 1 and 64),
  payout            boolean not null default false,
  payout_stopped_at timestamptz,
  revoked_at        timestamptz,
  created_at        timestamptz not null default now(),
  -- A key pair has the same twenty bytes on TRON and on EVM networks, but a different written address on each.
  unique (organization_id, environment, address, family)
);

create index recipients_newest_first on recipients (organization_id, environment, created_at desc, id desc)
  where revoked_at is null;

grant select on recipients to svc_api, svc_daemon;
grant insert (id, organization_id, environment, address, family, label),
  update (label, payout, payout_stopped_at, revoked_at) on recipients to svc_api;
grant select, insert, update on recipients to svc_operator;

-- Every configuration that a daemon has run with, by family and environment. Charges created under an older
-- configuration stay payable. On TRON a factory's address depends on the transaction that created it, so a live charge
-- with the test network's factory would have an address at which no split can ever be deployed. Fees in percent.
create table service_terms (
  family                  text not null check (family in ('evm', 'tron')),
  environment             text not null check (environment in ('live', 'test')),
  factory                 text not null check (factory ~ '^0x[0-9a-f]{40}$'),
  treasury                text not null check (treasury ~ '^0x[0-9a-f]{40}$'),
  fee_percent             numeric(7, 4) not null,
  escrow_fee_percent      numeric(7, 4) not null,
  distributor_fee_percent numeric(7, 4) not null,
  first_used_at           timestamptz not null default now(),
  primary key (family, environment, factory, treasury, fee_percent, escrow_fee_percent, distributor_fee_percent)
);

-- Factories whose code a daemon has verified, or whose address follows from that code, as on EVM networks. The
-- configurations above are not sufficient, because a mistyped TRON factory would be trusted from the daemon's first
-- start on.
create table trusted_factories (
  family      text not null check (family in ('evm', 'tron')),
  environment text not null check (environment in ('live', 'test')),
  factory     text not null check (factory ~ '^0x[0-9a-f]{40}$'),
  verified_at timestamptz not null default now(),
  primary key (family, environment, factory)
);

grant select on service_terms, trusted_factories to svc_api, svc_daemon, svc_operator;
grant insert on service_terms, trusted_factories to svc_daemon;

-- Every fee and surcharge that an organization has ever had, because its older charges stay payable.
create table organization_fees (
  organization_id text not null references organizations,
  fee_percent     numeric(7, 4) not null,
  primary key (organization_id, fee_percent)
);

create table organization_escrow_fees (
  organization_id    text not null references organizations,
  escrow_fee_percent numeric(7, 4) not null,
  primary key (organization_id, escrow_fee_percent)
);

create function insert_organization_fee() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into organization_fees values (new.id, new.fee_percent) on conflict do nothing;
  return null;
end
$$;

create function insert_organization_escrow_fee() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into organization_escrow_fees values (new.id, new.escrow_fee_percent) on conflict do nothing;
  return null;
end
$$;

-- Triggers, because an operator's role must not write or delete the history, and must not change a fee without it.
create trigger organizations_insert_fee after insert or update of fee_percent on organizations
  for each row when (new.fee_percent is not null) execute function insert_organization_fee();
create trigger organizations_insert_escrow_fee after insert or update of escrow_fee_percent on organizations
  for each row when (new.escrow_fee_percent is not null) execute function insert_organization_escrow_fee();

grant select on organization_fees, organization_escrow_fees to svc_api, svc_daemon, svc_operator;
