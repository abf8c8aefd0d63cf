-- Endpoints, the deliveries that they must receive, and their health.
create table webhooks (
  id                text primary key,
  organization_id   text not null references organizations,
  environment       text check (environment in ('live', 'test')), -- null: receives events of both environments
  url               text not null check (length(url) <= 2048),
  events            text[] not null,
  event_categories  text[] not null,
  exclude_events    text[] not null,
  secret_sealed     bytea not null, -- sealed to the daemon's public key; the API cannot read it back
  secret_hint       text not null,
  old_secret_sealed bytea,
  old_secret_until  timestamptz,
  created_at        timestamptz not null default now(),
  deleted_at        timestamptz,
  check (cardinality(events) > 0 or cardinality(event_categories) > 0)
);

create index webhooks_of_organization on webhooks (organization_id) where deleted_at is null;

create table deliveries (
  id                 bigint generated always as identity primary key,
  -- Ids have 12 hex digits of milliseconds, so that they sort by time, and 20 random digits.
  public_id          text not null unique
                     default 'dl_' || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
                       || right(replace(gen_random_uuid()::text, '-', ''), 20),
  webhook_id         text not null references webhooks,
  event_number       bigint not null references events,
  charge_id          text,
  status             text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts           int not null default 0,
  cycle_attempts     int not null default 0, -- of the current cycle of five; a manual retry starts a new one
  cycle_started_at   timestamptz, -- start of the cycle's first attempt, from which the schedule counts
  next_attempt_at    timestamptz default now(),
  leased_until       timestamptz, -- until then, only the daemon that set it may make the attempt
  first_attempted_at timestamptz, -- when the first attempt finished, and the next delivery of this charge may start
  response_code      int, -- of the last attempt that received a response
  response_excerpt   text, -- the first kilobyte of that response
  last_error         text, -- why the last attempt received no response
  created_at         timestamptz not null default now(),
  delivered_at       timestamptz,
  failed_at          timestamptz,
  unique (webhook_id, event_number), -- also the order of the list
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'delivered') = (delivered_at is not null)),
  check ((status = 'failed') = (failed_at is not null)),
  check (status = 'pending' or leased_until is null)
) with (fillfactor = 80); -- no index contains leased_until, so that a lease is a heap-only update if the page has room

create index deliveries_due on deliveries (webhook_id, next_attempt_at, id) where status = 'pending';
-- Shows whether any delivery is due. The key is an expression, so that the planner uses the index only for this query:
-- an index on the plain column would also serve a claim, which would then walk the whole backlog of a dead endpoint.
create index deliveries_soonest on deliveries ((next_attempt_at at time zone 'UTC')) where status = 'pending';
create index deliveries_unattempted on deliveries (webhook_id, charge_id, event_number)
  where status = 'pending' and first_attempted_at is null;
create index deliveries_of_event on deliveries (event_number);

-- Lists the webhooks that receive an event. `insertDeliveries` (shared/db/events/daemon) and `create_charges` insert
-- its deliveries in the statement that inserts the event.
create function list_receiving_webhooks(e events) returns setof text
  language sql stable as $$
  select w.id from webhooks w
  where w.organization_id = e.organization_id and w.deleted_at is null
    and e.category in ('payments', 'webhooks')
    and (w.environment is null or w.environment = e.environment)
    and (e.type = any (w.events) or '*' = any (w.events) or e.category = any (w.event_categories))
    and not e.type = any (w.exclude_events)
$$;

-- Fails pending deliveries of a deleted webhook; their history stays. Only the trigger below executes this function for
-- svc_api, which must not change a delivery otherwise. Fails at most 10,000 deliveries, the earliest due first, because
-- a dead endpoint may have millions, and the request that deletes it waits. The daemon fails the others when they are
-- due.
create function fail_deliveries(deleted_webhook_id text, at timestamptz) returns void
  language sql security definer set search_path = public, pg_temp as $$
  update deliveries
  set status = 'failed', failed_at = at, next_attempt_at = null, leased_until = null, last_error = 'webhook deleted'
  where id = any (array(
    select id from deliveries
    where status = 'pending' and id = any (array(
      select id from deliveries where webhook_id = deleted_webhook_id and status = 'pending'
      order by next_attempt_at, id limit 10000))
    order by id for no key update))
$$;

create function fail_deliveries_of_deleted_webhook() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform fail_deliveries(new.id, new.deleted_at);
  return null;
end
$$;

create trigger webhooks_fail_deliveries after update of deleted_at on webhooks
  for each row when (new.deleted_at is not null) execute function fail_deliveries_of_deleted_webhook();

-- The states of the two regions of machines/endpoint-health.ts, and whether the last attempt failed, which reduces an
-- endpoint's slots.
create table endpoint_health (
  webhook_id      text primary key references webhooks,
  failure_level   text not null default 'low' check (failure_level in ('low', 'high')),
  recovery_notice text not null default 'none' check (recovery_notice in ('none', 'pending')),
  is_failing      boolean not null default false
);

-- Finished attempts by the hour in which they finished. The failure ratio of the last 24 hours is computed from their
-- sums.
create table endpoint_attempts (
  webhook_id text not null references webhooks,
  hour       timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  finished   int not null check (finished > 0),
  failed     int not null check (failed between 0 and finished),
  primary key (webhook_id, hour)
);

create index endpoint_attempts_by_age on endpoint_attempts (hour);

-- svc_api may change the URL of a webhook: an intruder with this role could register their own endpoints anyway.
grant select on webhooks, deliveries to svc_api;
grant insert (id, organization_id, environment, url, events, event_categories, exclude_events, secret_sealed,
    secret_hint, created_at),
  update (url, events, event_categories, exclude_events, secret_sealed, secret_hint, old_secret_sealed,
    old_secret_until, deleted_at) on webhooks to svc_api;
-- Only the organization decides about a webhook's URL and about the secret that signs its deliveries.
grant select on webhooks to svc_daemon;
grant select, insert, delete on deliveries to svc_daemon;
grant update (status, attempts, cycle_attempts, cycle_started_at, next_attempt_at, leased_until, first_attempted_at,
    response_code, response_excerpt, last_error, delivered_at, failed_at) on deliveries to svc_daemon;
grant execute on function list_receiving_webhooks, fail_deliveries to svc_daemon;
grant select, insert on endpoint_health to svc_daemon;
grant update (failure_level, recovery_notice, is_failing) on endpoint_health to svc_daemon;
grant select, insert, delete on endpoint_attempts to svc_daemon;
grant update (finished, failed) on endpoint_attempts to svc_daemon;
grant select, update on webhooks to svc_operator;
grant select on deliveries, endpoint_health, endpoint_attempts to svc_operator;
