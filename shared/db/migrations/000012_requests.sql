-- What the API asks of the daemon, and the answer. The daemon reads the chain itself, so a forged request credits
-- nothing. At most one open request of a kind per charge. What the API's role can write is what an adversary can write
-- who has broken into the API: so what a request refers to must be there, in the right environment, and the daemon looks
-- again before it acts.
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
  answered_at     timestamptz,
  constraint requests_have_subject check (
    case when kind in ('check', 'sandbox_trigger', 'escrow_order') then charge_id is not null and subject_id is null
         else charge_id is null and subject_id is not null end),
  constraint requests_are_small check (
    json_typeof(payload) = 'object' and octet_length(payload::text) <= 4096 and length(id) <= 64
    and length(subject_id) <= 64)
);

create unique index requests_one_open_per_charge on requests (charge_id, kind)
  where answered_at is null and charge_id is not null;
create index requests_open on requests (created_at) where consumed_at is null;
create index requests_unanswered on requests (kind, created_at) where answered_at is null;

-- A charge is asked about by its own organization, the sandbox has charges of the test environment alone, and only an
-- escrow can be ordered; likewise for webhooks and their deliveries. (What was deleted meanwhile, the daemon drops.)
create function require_possible_request() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_possible boolean;
begin
  if new.charge_id is not null then
    is_possible := exists (
      select from charges c
      where c.id = new.charge_id and c.organization_id = new.organization_id
        and (new.kind <> 'sandbox_trigger' or c.environment = 'test')
        and (new.kind <> 'escrow_order' or c.escrow_releaser is not null));
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

create trigger requests_are_possible before insert on requests
  for each row execute function require_possible_request();

-- Deletes a request the daemon has not begun; true if it is gone.
create function withdraw_request(request_id text) returns boolean
  language sql security definer set search_path = public, pg_temp as $$
  with gone as (delete from requests where id = request_id and consumed_at is null returning 1)
  select exists (select from gone)
$$;

grant execute on function withdraw_request to svc_api;
-- When a request was made, begun and answered is not the API's to say: what is older than five minutes is not executed.
grant select on requests to svc_api;
grant insert (id, kind, organization_id, charge_id, subject_id, payload) on requests to svc_api;
-- What was asked is answered, not changed.
grant select, delete on requests to svc_daemon;
grant update (consumed_at, answer, answered_at) on requests to svc_daemon;
grant select on requests to svc_operator;
