-- Addresses an organization may pay. `payout_stopped_at` is a fact of its own (decisions 6.1): the key whose
-- payout address this is stays stopped after a mere re-registration, until the address is elevated again.
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
  -- One key pair has the same twenty bytes on TRON and on EVM networks, and two addresses as people write them.
  unique (organization_id, environment, address, family)
);

create index recipients_newest_first on recipients (organization_id, environment, created_at desc, id desc)
  where revoked_at is null;

grant select on recipients to svc_api;
grant insert (id, organization_id, environment, address, family, label),
  update (label, payout, payout_stopped_at, revoked_at) on recipients to svc_api;
grant select, insert, update on recipients to svc_operator;
grant select on recipients to svc_daemon;
