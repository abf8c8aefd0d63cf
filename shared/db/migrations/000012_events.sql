-- The outbox. `number` orders the events of one charge, because the lock of the charge's row serializes them. The
-- sequencer assigns `seq` to committed rows from one counter row, so a reader that has seen seq n has missed no event
-- before it.
create table events (
  number          bigint generated always as identity primary key,
  id              text not null unique,
  seq             bigint unique,
  category        text not null check (category in ('payments', 'webhooks', 'distributions', 'internal')),
  type            text not null,
  organization_id text references organizations, -- null: visible to all (the keeper feed)
  environment     text not null check (environment in ('live', 'test')),
  charge_id       text references charges,
  data            text not null, -- JSON, frozen when committed
  api_request_id  uuid, -- the `Request-Id` of the request that caused it; null: a chain or the clock caused it
  created_at      timestamptz not null
);

create index events_unsequenced on events (number) where seq is null;
create index events_of_charge on events (charge_id, number);
-- The last line of defense: these events happen at most once in a charge's life, even if code runs twice.
create unique index events_once_per_charge on events (charge_id, type) where type in (
  'charge.created', 'charge.partially_paid', 'charge.confirmed', 'charge.overpaid', 'charge.expired',
  'charge.underpaid', 'charge.settled', 'charge.escrow_released', 'charge.escrow_refunded');

create table event_sequence (
  only_row boolean primary key default true check (only_row),
  last_seq bigint not null
);
insert into event_sequence values (true, 0);

-- Ids of public events of charges are computed (decisions 3.1): if an event is inserted again because its commit was
-- lost, in a failover or by restoring a backup, it has the same id, which receivers of webhooks may already know. Ids
-- cannot be guessed: each is an HMAC under a secret that this database creates once and that no role can read. The
-- table holds both keys of HMAC-SHA256 (RFC 2104), so that no statement has to derive them.
create table event_secret (
  only_row  boolean primary key default true check (only_row),
  inner_key bytea not null check (length(inner_key) = 64),
  outer_key bytea not null check (length(outer_key) = 64)
);

do $$
declare
  -- A random UUID has 122 random bits, so three of them exceed the 256 bits of a key.
  key bytea := sha256(convert_to(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8'))
    || decode(repeat('00', 32), 'hex');
  inner_key bytea := key;
  outer_key bytea := key;
begin
  for at in 0..63 loop
    inner_key := set_byte(inner_key, at, get_byte(key, at) # 54);
    outer_key := set_byte(outer_key, at, get_byte(key, at) # 92);
  end loop;
  insert into event_secret (inner_key, outer_key) values (inner_key, outer_key);
end
$$;

-- Returns `evt_`, the ten time characters of the charge's own id, and 130 bits of the HMAC of charge, type and ordinal.
-- The time is the charge's creation time, because no other time is the same when an event is created again: a turn may
-- process its facts together or one by one, and on a stalled chain our clock decides that a deadline has passed.
create function charge_event_id(of_charge text, of_type text, ordinal bigint) returns text
  language sql stable security definer set search_path = public, pg_temp as $$
  select 'evt_' || substr(of_charge, 4, 10) || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', (get_byte(mac, at) & 31) + 1, 1), '' order by at)
  from (
    select sha256(outer_key || sha256(inner_key || convert_to(concat_ws('/', of_charge, of_type, ordinal), 'UTF8'))) as mac
    from event_secret) s, generate_series(0, 25) at
$$;

grant execute on function charge_event_id to svc_daemon;
grant select on events, event_sequence to svc_api, svc_operator;
grant select, insert on events to svc_daemon;
grant update (seq) on events to svc_daemon;
grant select on event_sequence to svc_daemon;
grant update (last_seq) on event_sequence to svc_daemon;
