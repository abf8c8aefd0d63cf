-- How an organization's pages look to its payers: set by an operator's command line only, read by the API. A table of its
-- own, so that the API, which reads organizations with every key, does not read pictures with them. Blocks nobody.
create table brands (
  organization_id text primary key references organizations,
  -- What payers know it by; organizations.name is between the merchant and us.
  name            text not null check (length(name) between 1 and 60),
  -- As it was given; what the pages draw with is made of it so that it can be read (shared/domain/accent.ts).
  accent          text check (accent ~ '^#[0-9a-f]{6}$'),
  -- A picture of pixels alone, whose bytes were looked at (shared/domain/logo.ts): one of SVG could run scripts.
  logo            bytea check (length(logo) between 1 and 65536),
  logo_type       text check (logo_type in ('image/png', 'image/jpeg')),
  -- Its name to browsers, which may keep it for ever: another picture has another.
  logo_hash       text generated always as (encode(sha256(logo), 'hex')) stored,
  changed_at      timestamptz not null default now(),
  check ((logo is null) = (logo_type is null))
);

create index brands_by_logo on brands (logo_hash) where logo is not null;

grant select on brands to svc_api;
grant select, insert, update, delete on brands to svc_operator;
