-- An organization's own surcharge on escrow charges, beside its own fee; null: the configured one. Blocks nobody for
-- longer than the catalog takes.
alter table organizations add column escrow_fee_percent numeric(7, 4)
  check (escrow_fee_percent >= 0 and escrow_fee_percent < 100);

-- Every surcharge that an organization has ever had of its own: charges made under an older one stay payable (000026).
create table organization_escrow_fees (
  organization_id    text not null references organizations,
  escrow_fee_percent numeric(7, 4) not null,
  primary key (organization_id, escrow_fee_percent)
);

create function remember_organization_escrow_fee() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into organization_escrow_fees values (new.id, new.escrow_fee_percent) on conflict do nothing;
  return null;
end
$$;

create trigger organizations_remember_escrow_fee after insert or update of escrow_fee_percent on organizations
  for each row when (new.escrow_fee_percent is not null) execute function remember_organization_escrow_fee();

grant select on organization_escrow_fees to svc_api, svc_daemon, svc_operator;

-- As before (000026), but an escrow charge may have its organization's own surcharge.
create or replace function require_charge_terms(c charges, event_data text) returns boolean
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
          or exists (select from service_terms s where s.escrow_fee_percent = c.escrow_fee_percent)
          or exists (
            select from organization_escrow_fees o
            where o.organization_id = c.organization_id and o.escrow_fee_percent = c.escrow_fee_percent)))
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
