-- What the API's role can write is what an adversary can write who has broken into the API. So what a request refers to
-- must be there, in the right environment, and a new charge must be one that the API could have made. The daemon looks
-- again before it acts. Blocks writers of `requests` while that small table is checked.

-- Every configuration that a daemon has ever run with; charges made under an older one stay payable. Fees in percent.
create table service_terms (
  factory                 text not null check (factory ~ '^0x[0-9a-f]{40}$'),
  treasury                text not null check (treasury ~ '^0x[0-9a-f]{40}$'),
  fee_percent             numeric(7, 4) not null,
  escrow_fee_percent      numeric(7, 4) not null,
  distributor_fee_percent numeric(7, 4) not null,
  first_used_at           timestamptz not null default now(),
  primary key (factory, treasury, fee_percent, escrow_fee_percent, distributor_fee_percent)
);

-- Every fee that an organization has ever had of its own, for the same reason.
create table organization_fees (
  organization_id text not null references organizations,
  fee_percent     numeric(7, 4) not null,
  primary key (organization_id, fee_percent)
);
insert into organization_fees select id, fee_percent from organizations where fee_percent is not null;

create function remember_organization_fee() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into organization_fees values (new.id, new.fee_percent) on conflict do nothing;
  return null;
end
$$;

create trigger organizations_remember_fee after insert or update of fee_percent on organizations
  for each row when (new.fee_percent is not null) execute function remember_organization_fee();

-- A charge is asked about by its own organization, the sandbox has charges of the test environment alone, and only an
-- escrow can be ordered; likewise for webhooks and their deliveries. (What was deleted meanwhile, the daemon drops.)
alter table requests
  add constraint requests_have_subject check (
    case when kind in ('check', 'sandbox_trigger', 'escrow_order') then charge_id is not null and subject_id is null
         else charge_id is null and subject_id is not null end),
  add constraint requests_are_small check (
    json_typeof(payload) = 'object' and octet_length(payload::text) <= 4096 and length(id) <= 64
    and length(subject_id) <= 64);

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

-- Whoever may write it: a simulated payment is one of the test environment.
create function require_sandbox_charge() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from charges c where c.id = new.charge_id and c.environment = 'test') then
    raise exception 'transfer of the sandbox to %, which is live', new.charge_id using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger transfers_of_sandbox before insert on transfers
  for each row when (new.source = 'sandbox') execute function require_sandbox_charge();

-- Only what the API writes. When a request was made, begun and answered is not its to say: what is older than five
-- minutes is not executed.
revoke insert on requests from svc_api;
grant insert (id, kind, organization_id, charge_id, subject_id, payload) on requests to svc_api;
revoke insert, update on recipients from svc_api;
grant insert (id, organization_id, environment, address, family, label),
  update (label, payout, payout_stopped_at, revoked_at) on recipients to svc_api;
revoke insert, update on webhooks from svc_api;
grant insert (id, organization_id, environment, url, events, event_categories, exclude_events, secret_sealed,
    secret_hint, created_at),
  update (secret_sealed, secret_hint, old_secret_sealed, old_secret_until, deleted_at) on webhooks to svc_api;

-- Of the terms of a new charge, what SQL can tell; whether the address is that of the terms, and the fees are right,
-- the daemon computes. Raises what is wrong; answers true, so that it can stand in a condition.
create function require_charge_terms(c charges, event_data text) returns boolean
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  terms   jsonb := c.split_terms;
  problem text;
begin
  if jsonb_typeof(terms) is distinct from 'object' or jsonb_typeof(terms -> 'recipients') is distinct from 'array'
    or jsonb_typeof(terms -> 'allocations') is distinct from 'array'
    or json_typeof(c.split_recipients) is distinct from 'array' then
    raise exception 'terms of % have no lists of recipients and allocations', c.id using errcode = 'check_violation';
  end if;
  problem := case
    when not exists (
        select from api_keys k
        where k.id = c.api_key_id and k.organization_id = c.organization_id and k.environment = c.environment)
      then 'its key is none of its organization and environment'
    when c.escrow_releaser is null and (c.address <> c.split_address or c.escrow_fee_percent is not null)
      then 'without escrow it has an address that is not its split''s, or a surcharge'
    when c.escrow_releaser is not null and (c.address = c.split_address or c.escrow_fee_percent is null
        or exists (select from charges o where o.address = c.split_address))
      then 'its escrow has the address of a split, or no surcharge'
    when exists (select from charges o where o.split_address = c.address and o.escrow_releaser is not null)
      then 'its address is the split of another charge'
    when exists (select from service_terms)
        and not exists (select from service_terms s where s.factory = terms ->> 'factory')
      then 'its factory is not ours'
    when jsonb_array_length(terms -> 'recipients') not between 1 and 16
        or jsonb_array_length(terms -> 'recipients') <> jsonb_array_length(terms -> 'allocations')
      then 'it has not 1 to 16 recipients with an allocation each'
    when (terms -> 'totalAllocation' = '1000000' and (
        select sum(a.value::numeric) = 1000000 and bool_and(a.value::numeric between 1 and 1000000)
          and bool_and(a.value ~ '^[1-9][0-9]*$')
        from jsonb_array_elements_text(terms -> 'allocations') as a)) is not true
      then 'its allocations do not add up to 1000000'
    when ((terms ->> 'distributionIncentive') ~ '^[0-9]{1,5}$'
        and (terms ->> 'distributionIncentive')::int <= 50000) is not true
      then 'its incentive is not from 0 to 50000 millionths'
    when exists (select from service_terms) and not (
        exists (
          select from service_terms s where s.fee_percent = c.fee_percent - coalesce(c.escrow_fee_percent, 0)
          union all
          select from organization_fees o
          where o.organization_id = c.organization_id
            and o.fee_percent = c.fee_percent - coalesce(c.escrow_fee_percent, 0))
        and (c.escrow_fee_percent is null
          or exists (select from service_terms s where s.escrow_fee_percent = c.escrow_fee_percent)))
      then 'its fee is not one of ours'
    when exists (
        select from jsonb_array_elements_text(terms -> 'recipients') as r (address)
        where r.address !~ '^0x[0-9a-f]{40}$' or (
          exists (select from service_terms)
          and not exists (select from service_terms s where s.treasury = r.address)
          and not exists (select from api_keys k where k.id = c.api_key_id and k.payout_address = r.address)
          and not exists (select from json_array_elements(c.split_recipients) p where p ->> 'address' = r.address)))
      then 'it pays an address that is neither the key''s, the treasury''s nor a recipient''s'
    when exists (
        select from json_array_elements(c.split_recipients) p
        where not exists (
          select from recipients r
          where r.organization_id = c.organization_id and r.environment = c.environment and r.family = c.family
            and r.address = p ->> 'address'))
      then 'it pays a recipient that is not registered'
    when not exists (
        -- Of two members of one name readers take either, so there must be none.
        select from json_to_record(event_data::json) as d (id text, address text, status text, environment text,
          "settlementStatus" text, "amountReceived" text, "isOverpaid" text, "txHash" text, "confirmedAt" text,
          "settledAt" text)
        where d.id = c.id and (c.family <> 'evm' or lower(d.address) = c.address) and d.status = 'pending' and d.environment = c.environment
          and coalesce(d."settlementStatus", d."amountReceived", d."txHash", d."confirmedAt", d."settledAt") is null
          and d."isOverpaid" = 'false'
          and (select count(*) = count(distinct name) from json_object_keys(event_data::json) name))
      then 'its event tells of another charge, or of one that was paid'
  end;
  if problem is not null then
    raise exception 'charge % is refused: %', c.id, problem using errcode = 'check_violation';
  end if;
  return true;
end
$$;

grant select on service_terms, organization_fees to svc_api, svc_daemon, svc_operator;
grant insert on service_terms to svc_daemon;
