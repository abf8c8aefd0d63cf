-- Endpoints and what is owed to them. The trigger makes an event without its deliveries impossible.
create table webhooks (
  id               text primary key,
  organization_id  text not null references organizations,
  environment      text check (environment in ('live', 'test')), -- null receives both
  url              text not null check (length(url) <= 2048),
  events           text[] not null,
  event_categories text[] not null,
  exclude_events   text[] not null,
  secret_sealed    bytea not null, -- sealed to the daemon's public key; the API cannot read it back
  secret_hint      text not null,
  old_secret_sealed bytea,
  old_secret_until timestamptz,
  created_at       timestamptz not null default now(),
  deleted_at       timestamptz,
  check (cardinality(events) > 0 or cardinality(event_categories) > 0)
);

create index webhooks_of_organization on webhooks (organization_id) where deleted_at is null;

create table deliveries (
  id              bigint generated always as identity primary key,
  -- 12 hex digits of milliseconds, so that ids sort by time, and 20 at random.
  public_id       text not null unique default 'dl_' || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
                    || right(replace(gen_random_uuid()::text, '-', ''), 20),
  webhook_id      text not null references webhooks,
  event_number    bigint not null references events,
  charge_id       text,
  status          text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts        int not null default 0,
  cycle_attempts  int not null default 0, -- of the current cycle of five; a manual retry starts a fresh one
  cycle_started_at timestamptz, -- when the cycle's first attempt began: the schedule counts from there
  next_attempt_at timestamptz default now(),
  locked_until    timestamptz, -- while it lies ahead, the attempt belongs to the daemon that set it
  first_attempted_at timestamptz, -- the first attempt has finished: the next of this charge may go
  response_code   int, -- of the last attempt that was answered
  response_excerpt text, -- the first kilobyte of that answer
  last_error      text, -- why the last attempt was not answered
  created_at      timestamptz not null default now(),
  delivered_at    timestamptz,
  failed_at       timestamptz,
  unique (webhook_id, event_number), -- also the order in which they are listed
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'delivered') = (delivered_at is not null)),
  check ((status = 'failed') = (failed_at is not null)),
  check (status = 'pending' or locked_until is null)
) with (fillfactor = 80); -- no index holds locked_until, so taking a lease is a heap-only update where there is room

create index deliveries_due on deliveries (webhook_id, next_attempt_at, id) where status = 'pending';
-- Says whether anything is due at all. An expression, so that the planner takes it for nothing else: ordered by the
-- plain column it would also serve a claim, by walking the whole backlog of a dead endpoint.
create index deliveries_soonest on deliveries ((next_attempt_at at time zone 'UTC')) where status = 'pending';
create index deliveries_unattempted on deliveries (webhook_id, charge_id, event_number)
  where status = 'pending' and first_attempted_at is null;
create index deliveries_of_event on deliveries (event_number);

create function insert_deliveries() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into deliveries (webhook_id, event_number, charge_id)
  select w.id, e.number, e.charge_id
  from new_events e
  join webhooks w on w.organization_id = e.organization_id and w.deleted_at is null
  where e.category in ('payments', 'webhooks')
    and (w.environment is null or w.environment = e.environment)
    and (e.type = any (w.events) or '*' = any (w.events) or e.category = any (w.event_categories))
    and not e.type = any (w.exclude_events)
  order by e.number;
  return null;
end
$$;

create trigger events_to_deliveries after insert on events
  referencing new table as new_events
  for each statement execute function insert_deliveries();

grant select, insert, update on webhooks to svc_api;
grant select, update on webhooks to svc_daemon, svc_operator;
grant select on deliveries to svc_api, svc_operator;
grant select, insert, update, delete on deliveries to svc_daemon;
