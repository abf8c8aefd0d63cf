-- The API's requests to the daemon, and the responses. The daemon reads the chain itself, so a forged request credits
-- nothing. At most one request of a kind per charge is open. An intruder in the API has all rights of svc_api, so the
-- database requires that the subject of a request exists in the right environment, and the daemon checks the request
-- again before it acts.
create table requests (
  id              text primary key,
  kind            text not null check (
    kind in ('check', 'sandbox_trigger', 'escrow_order', 'authorization', 'delivery_retry', 'webhook_test')),
  organization_id text not null references organizations,
  charge_id       text references charges,
  subject_id      text, -- the delivery or webhook
  payload         json not null,
  api_request_id  uuid, -- `Request-Id` of the API's response that waits for it
  created_at      timestamptz not null default now(),
  -- When the daemon last checked a waiting signature: a signature that cannot proceed must not delay newer signatures.
  last_checked_at timestamptz,
  consumed_at     timestamptz, -- when the daemon started it; the API can no longer withdraw it
  response        json,
  responded_at    timestamptz,
  constraint requests_have_subject check (
    case when kind in ('check', 'sandbox_trigger', 'escrow_order', 'authorization')
         then charge_id is not null and subject_id is null
         else charge_id is null and subject_id is not null end),
  -- A contract's signature may have two kilobytes, and is written in hex.
  constraint requests_are_small check (
    json_typeof(payload) = 'object' and octet_length(payload::text) <= 6144 and length(id) <= 64
    and length(subject_id) <= 64),
  -- If the payload contained the escape \u0000, which no text can hold, every statement that reads it would fail, and
  -- with it all requests of its kind. No request needs an escape.
  constraint requests_are_readable check (position('\u' in payload::text) = 0)
);

create unique index requests_one_open_per_charge on requests (charge_id, kind)
  where responded_at is null and charge_id is not null;
create index requests_open on requests (created_at) where consumed_at is null;
create index requests_without_response on requests (kind, created_at) where responded_at is null;

-- Requires that a request's subject belongs to its organization, that the sandbox gets only test charges, that an
-- escrow order has an escrow, and that a payment by signature is on a chain. This is a trigger, because it must hold
-- against a stolen API role. The daemon drops requests for subjects that were deleted in the meantime.
create function validate_request() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_possible boolean;
begin
  if new.charge_id is not null then
    is_possible := exists (
      select from charges c
      where c.id = new.charge_id and c.organization_id = new.organization_id
        and (new.kind <> 'sandbox_trigger' or c.environment = 'test')
        and (new.kind <> 'escrow_order' or c.escrow_releaser is not null)
        and (new.kind <> 'authorization' or not c.is_simulated));
  elsif new.kind = 'webhook_test' then
    is_possible := exists (
      select from webhooks w
      where w.id = new.subject_id and w.organization_id = new.organization_id
        and new.payload ->> 'environment' in ('live', 'test')
        and (w.environment is null or w.environment = new.payload ->> 'environment'));
  else
    is_possible := exists (
      select from deliveries d
      join webhooks w on w.id = d.webhook_id
      join events e on e.number = d.event_number
      where d.public_id = new.subject_id and w.organization_id = new.organization_id
        and e.environment = new.payload ->> 'environment');
  end if;
  if not is_possible then
    raise exception 'request % of % cannot be a % of %', new.id, new.organization_id, new.kind,
      coalesce(new.charge_id, new.subject_id) using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger requests_validate before insert on requests
  for each row execute function validate_request();

-- Deletes a rejected signature, because anyone who reads it could execute it until its window ends. An accepted
-- signature is in the bytes of its transaction, which are public. This is a trigger, because no statement that
-- completes a request may keep the signature.
create function clear_signature() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.payload := '{}';
  return new;
end
$$;

create trigger requests_clear_signature before update of responded_at on requests
  for each row when (new.kind = 'authorization' and new.responded_at is not null) execute function clear_signature();

-- Deletes a request that the daemon has not started. Returns whether it deleted the request.
create function cancel_request(request_id text) returns boolean
  language sql security definer set search_path = public, pg_temp as $$
  with deleted as (delete from requests where id = request_id and consumed_at is null returning 1)
  select exists (select from deleted)
$$;

grant execute on function cancel_request to svc_api;
-- The API must not set when a request was created, started or completed, because requests older than five minutes are
-- not executed.
grant select on requests to svc_api;
grant insert (id, kind, organization_id, charge_id, subject_id, payload, api_request_id) on requests to svc_api;
-- The daemon responds to a request and does not change it.
grant select, delete on requests to svc_daemon;
grant update (last_checked_at, consumed_at, response, responded_at) on requests to svc_daemon;
grant select on requests to svc_operator;
