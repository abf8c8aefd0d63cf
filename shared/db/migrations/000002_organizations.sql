-- Tenants and the keys that authenticate them. Keys are issued by an operator's command line only.
create table organizations (
  id          text primary key,
  name        text not null check (length(name) between 1 and 255),
  fee_percent numeric(7, 4) check (fee_percent >= 0 and fee_percent < 100), -- null: the configured default
  created_at  timestamptz not null default now()
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

grant select on organizations, api_keys to svc_api, svc_daemon;
grant select, insert, update on organizations, api_keys to svc_operator;
