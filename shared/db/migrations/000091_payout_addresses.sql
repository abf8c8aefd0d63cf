-- A key has a payout address of every family that its charges are to be paid on: the EVM one as before, of the others
-- those it was issued with. Blocks writers of keys for as long as a table of few rows takes.
alter table api_keys add column other_payout_addresses jsonb not null default '{}'
  check (jsonb_typeof(other_payout_addresses) = 'object' and not other_payout_addresses ? 'evm'
    and not jsonb_path_exists(other_payout_addresses, '$.* ? (!(@ like_regex "^0x[0-9a-f]{40}$"))'));

-- All payout addresses of a key, by family.
create function payout_addresses(evm text, others jsonb) returns jsonb language sql immutable as $$
  select others || jsonb_build_object('evm', evm)
$$;

-- The same without their families, by which recipients are found: the index of recipients begins with the address.
create function payout_address_list(evm text, others jsonb) returns text[] language sql immutable as $$
  select array(select value from jsonb_each_text(payout_addresses(evm, others)))
$$;

alter table api_keys add column payout_list text[] not null
  generated always as (payout_address_list(payout_address, other_payout_addresses)) stored;

grant select (other_payout_addresses) on api_keys to svc_daemon;
grant execute on function payout_addresses to svc_api, svc_daemon, svc_operator;
grant execute on function payout_address_list to svc_operator;

-- As before, but for the families: terms are those of the charge's own family and environment, and the key's payout
-- address is that of the charge's family.
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
        and not exists (
          select from service_terms s
          where s.family = c.family and s.environment = c.environment and s.factory = terms ->> 'factory')
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
          select from service_terms s
          where s.family = c.family and s.environment = c.environment
            and s.fee_percent = c.fee_percent - coalesce(c.escrow_fee_percent, 0)
          union all
          select from organization_fees o
          where o.organization_id = c.organization_id
            and o.fee_percent = c.fee_percent - coalesce(c.escrow_fee_percent, 0))
        and (c.escrow_fee_percent is null
          or exists (
            select from service_terms s
            where s.family = c.family and s.environment = c.environment
              and s.escrow_fee_percent = c.escrow_fee_percent)
          or exists (
            select from organization_escrow_fees o
            where o.organization_id = c.organization_id and o.escrow_fee_percent = c.escrow_fee_percent)))
      then 'its fee is not one of ours'
    when exists (
        select from jsonb_array_elements_text(terms -> 'recipients') as r (address)
        where r.address !~ '^0x[0-9a-f]{40}$' or (
          exists (select from service_terms)
          and not exists (
            select from service_terms s
            where s.family = c.family and s.environment = c.environment and s.treasury = r.address)
          and not exists (
            select from api_keys k
            where k.id = c.api_key_id
              and payout_addresses(k.payout_address, k.other_payout_addresses) ->> c.family = r.address)
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
        where d.id = c.id and (c.family <> 'evm' or lower(d.address) = c.address) and d.status = 'pending'
          and d.environment = c.environment
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
