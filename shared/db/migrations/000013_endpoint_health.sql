-- How the endpoints of webhooks do, and what the deletion of one means to its deliveries. Blocks nobody: new tables,
-- and a trigger on a table that is written a few times a day.

-- The two regions of machines/endpoint-health.ts, and whether the last attempt failed, which costs an endpoint slots.
create table endpoint_health (
  webhook_id text primary key references webhooks,
  ratio      text not null default 'low' check (ratio in ('low', 'high')),
  recovery   text not null default 'none' check (recovery in ('none', 'owed')),
  is_failing boolean not null default false
);

-- Finished attempts by the hour they finished in, from which the ratio of the last 24 hours is summed.
create table endpoint_attempts (
  webhook_id text not null references webhooks,
  hour       timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  finished   int not null check (finished > 0),
  failed     int not null check (failed between 0 and finished),
  primary key (webhook_id, hour)
);

create index endpoint_attempts_by_age on endpoint_attempts (hour);

-- Ends what is pending of a webhook that is no more; its history stays. The API gets here by deleting, not otherwise.
create function close_deliveries(deleted_webhook_id text, at timestamptz) returns void
  language sql security definer set search_path = public, pg_temp as $$
  update deliveries
  set status = 'failed', failed_at = at, next_attempt_at = null, locked_until = null, last_error = 'webhook deleted'
  where webhook_id = deleted_webhook_id and status = 'pending'
$$;

create function close_deliveries_of_deleted() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform close_deliveries(new.id, new.deleted_at);
  return null;
end
$$;

create trigger webhooks_close_deliveries after update of deleted_at on webhooks
  for each row when (new.deleted_at is not null) execute function close_deliveries_of_deleted();

revoke all on function close_deliveries from public;
grant execute on function close_deliveries to svc_daemon;
grant select, insert, update on endpoint_health to svc_daemon;
grant select, insert, update, delete on endpoint_attempts to svc_daemon;
grant select on endpoint_health, endpoint_attempts to svc_operator;
