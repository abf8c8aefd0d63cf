-- Tenants, the keys that authenticate them, and their appearance on payment pages. Only an operator's command issues
-- keys.
create table organizations (
  id                 text primary key,
  name               text not null check (length(name) between 1 and 255),
  -- The organization's own fee, and its own surcharge on escrow charges; null: the configured default.
  fee_percent        numeric(7, 4) check (fee_percent >= 0 and fee_percent < 100),
  escrow_fee_percent numeric(7, 4) check (escrow_fee_percent >= 0 and escrow_fee_percent < 100),
  created_at         timestamptz not null default now()
);

-- Returns all payout addresses of a key, by family.
create function build_payout_addresses(evm text, others jsonb) returns jsonb language sql immutable as $$
  select others || jsonb_build_object('evm', evm)
$$;

-- Returns the same addresses without their families, for lookups of recipients: in the unique key of recipients the
-- address precedes the family.
create function list_payout_addresses(evm text, others jsonb) returns text[] language sql immutable as $$
  select array(select value from jsonb_each_text(build_payout_addresses(evm, others)))
$$;

grant execute on function build_payout_addresses to svc_api, svc_daemon, svc_operator;
grant execute on function list_payout_addresses to svc_operator;

create table api_keys (
  id                     text primary key,
  organization_id        text not null references organizations,
  environment            text not null check (environment in ('live', 'test')),
  key_hash               bytea not null unique check (length(key_hash) = 32), -- SHA-256; the key is never stored
  hint                   text not null,
  payout_address         text not null check (payout_address ~ '^0x[0-9a-f]{40}$'), -- on EVM networks
  -- Payout addresses by family, for each further family that charges of the key can be paid on.
  other_payout_addresses jsonb not null default '{}'
    check (jsonb_typeof(other_payout_addresses) = 'object' and not other_payout_addresses ? 'evm'
      and not jsonb_path_exists(other_payout_addresses, '$.* ? (!(@ like_regex "^0x[0-9a-f]{40}$"))')),
  payout_address_list    text[] not null
    generated always as (list_payout_addresses(payout_address, other_payout_addresses)) stored,
  scopes                 text[] not null,
  created_at             timestamptz not null default now(),
  revoked_at             timestamptz
);

create index api_keys_by_organization on api_keys (organization_id, environment);

-- How an organization's pages look to its payers. This is a separate table, because the API reads `organizations` with
-- every key and must not read pictures each time.
create table brands (
  organization_id text primary key references organizations,
  -- The name that payers know; organizations.name is never shown to payers.
  name            text not null check (length(name) between 1 and 60),
  -- The color as it was given. The pages derive a readable color from it (shared/domain/accent.ts).
  accent          text check (accent ~ '^#[0-9a-f]{6}$'),
  -- A bitmap whose bytes were checked (shared/domain/logo.ts): an SVG could run scripts.
  logo            bytea check (length(logo) between 1 and 65536),
  logo_type       text check (logo_type in ('image/png', 'image/jpeg')),
  -- Its name in URLs. Browsers may cache it permanently, because another picture has another name.
  logo_hash       text generated always as (encode(sha256(logo), 'hex')) stored,
  changed_at      timestamptz not null default now(),
  check ((logo is null) = (logo_type is null))
);

create index brands_by_logo on brands (logo_hash) where logo is not null;

-- Lets svc_api wait for other writers of an organization's webhooks without advisory locks; docs/ops/catalog-rights.sql
-- revokes the right to use these. Locking the row requires the right to update it, which svc_api must not have.
create function lock_organization(organization text) returns void
  language sql security definer set search_path = public, pg_temp as $$
  select from organizations where id = organization for no key update;
$$;

grant execute on function lock_organization to svc_api;
grant select on organizations, api_keys, brands to svc_api;
grant select, insert, update on organizations, api_keys to svc_operator;
grant select, insert, update, delete on brands to svc_operator;
-- The daemon authenticates no client. It only needs to know which addresses a key pays.
grant select (id, organization_id, environment, payout_address, other_payout_addresses) on api_keys to svc_daemon;
