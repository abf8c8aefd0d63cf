-- Requests of the kind `authorization`: a payer's signature for a charge that somebody asks the daemon to carry out. Locks
-- `requests` while its few rows are checked anew. The build before this one runs beside it, and takes none of them.
alter table requests
  drop constraint requests_kind_check,
  add constraint requests_kind_check check (
    kind in ('check', 'sandbox_trigger', 'escrow_order', 'authorization', 'delivery_retry', 'webhook_test')),
  drop constraint requests_have_subject,
  add constraint requests_have_subject check (
    case when kind in ('check', 'sandbox_trigger', 'escrow_order', 'authorization')
         then charge_id is not null and subject_id is null
         else charge_id is null and subject_id is not null end),
  -- A contract's signature may have two kilobytes, and is written in hex.
  drop constraint requests_are_small,
  add constraint requests_are_small check (
    json_typeof(payload) = 'object' and octet_length(payload::text) <= 6144 and length(id) <= 64
    and length(subject_id) <= 64),
  -- One that escapes a character which no text can have fails every statement that looks into it, and so all requests of
  -- its kind. Nothing that is asked for needs an escape.
  add constraint requests_are_readable check (position('\u' in payload::text) = 0);

create or replace function require_possible_request() returns trigger
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

-- A signature that was refused is dropped: until its window ends, who reads it could carry it out. One that was taken stands
-- in the bytes of its transaction, which are public.
create function forget_signature() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.payload := '{}';
  return new;
end
$$;

create trigger requests_forget_signatures before update of answered_at on requests
  for each row when (new.kind = 'authorization' and new.answered_at is not null) execute function forget_signature();
