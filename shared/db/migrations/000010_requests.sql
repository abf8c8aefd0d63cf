-- What the API asks of the daemon, and the answer. The daemon reads the chain itself, so a forged request credits
-- nothing. At most one open request of a kind per charge.
create table requests (
  id              text primary key,
  kind            text not null check (kind in ('check', 'sandbox_trigger', 'escrow_order', 'delivery_retry', 'webhook_test')),
  organization_id text not null references organizations,
  charge_id       text references charges,
  subject_id      text, -- the delivery or webhook
  payload         json not null,
  created_at      timestamptz not null default now(),
  consumed_at     timestamptz, -- the daemon has begun: no longer the API's to withdraw
  answer          json,
  answered_at     timestamptz
);

create unique index requests_one_open_per_charge on requests (charge_id, kind)
  where answered_at is null and charge_id is not null;
create index requests_open on requests (created_at) where consumed_at is null;
create index requests_unanswered on requests (kind, created_at) where answered_at is null;

-- Deletes a request the daemon has not begun; true if it is gone.
create function withdraw_request(request_id text) returns boolean
  language sql security definer set search_path = public, pg_temp as $$
  with gone as (delete from requests where id = request_id and consumed_at is null returning 1)
  select exists (select from gone)
$$;

revoke all on function withdraw_request from public;
grant execute on function withdraw_request to svc_api;
grant select, insert on requests to svc_api;
grant select, update, delete on requests to svc_daemon;
grant select on requests to svc_operator;
