-- Tenants, the keys that authenticate them, and the fees that were ever promised. Keys are issued by an operator's
-- command line only.
create table organizations (
  id                 text primary key,
  name               text not null check (length(name) between 1 and 255),
  -- Their own fee, and their own surcharge on escrow charges; null: the configured default.
  fee_percent        numeric(7, 4) check (fee_percent >= 0 and fee_percent < 100),
  escrow_fee_percent numeric(7, 4) check (escrow_fee_percent >= 0 and escrow_fee_percent < 100),
  created_at         timestamptz not null default now()
);

create table api_keys (
  id              text primary key,
  organization_id text not null references organizations,
  environment     text not null check (environment in ('live', 'test')),
  key_hash        bytea not null unique check (length(key_hash) = 32), -- SHA-256; the key itself is never stored
  hint            text not null,
  payout_address  text not null check (payout_address ~ '^0x[0-9a-f]{40}$'),
  scopes          text[] not null,
  created_at      timestamptz not null default now(),
  revoked_at      timestamptz
);

create index api_keys_by_organization on api_keys (organization_id, environment);

-- Every configuration that a daemon has ever run with; charges made under an older one stay payable. Fees in percent.
create table service_terms (
  factory                 text not null check (factory ~ '^0x[0-9a-f]{40}$'),
  treasury                text not null check (treasury ~ '^0x[0-9a-f]{40}$'),
  fee_percent             numeric(7, 4) not null,
  escrow_fee_percent      numeric(7, 4) not null,
  distributor_fee_percent numeric(7, 4) not null,
  first_used_at           timestamptz not null default now(),
  primary key (factory, treasury, fee_percent, escrow_fee_percent, distributor_fee_percent)
);

-- Every fee, and every surcharge, that an organization has ever had of its own, for the same reason.
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

create function remember_organization_fee() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into organization_fees values (new.id, new.fee_percent) on conflict do nothing;
  return null;
end
$$;

create function remember_organization_escrow_fee() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into organization_escrow_fees values (new.id, new.escrow_fee_percent) on conflict do nothing;
  return null;
end
$$;

create trigger organizations_remember_fee after insert or update of fee_percent on organizations
  for each row when (new.fee_percent is not null) execute function remember_organization_fee();
create trigger organizations_remember_escrow_fee after insert or update of escrow_fee_percent on organizations
  for each row when (new.escrow_fee_percent is not null) execute function remember_organization_escrow_fee();

grant select on organizations, api_keys to svc_api;
grant select, insert, update on organizations, api_keys to svc_operator;
-- The daemon authenticates nobody: of keys it needs to know whom they pay.
grant select (id, organization_id, environment, payout_address) on api_keys to svc_daemon;
grant select on service_terms, organization_fees, organization_escrow_fees to svc_api, svc_daemon, svc_operator;
grant insert on service_terms to svc_daemon;
