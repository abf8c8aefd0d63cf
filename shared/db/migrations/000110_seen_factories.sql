-- A factory is believed when its code was seen to be ours, or when its address follows from that code. On TRON it follows
-- from the transaction that made it: a mistyped one was remembered with the terms at the daemon's start, and believed for
-- ever, so an API that was told it made charges at addresses where nothing can ever be deployed. Blocks nobody; the build
-- before this one runs beside it, and remembers no new factory on TRON meanwhile.
create table split_factories (
  family      text not null check (family in ('evm', 'tron')),
  environment text not null check (environment in ('live', 'test')),
  factory     text not null check (factory ~ '^0x[0-9a-f]{40}$'),
  seen_at     timestamptz not null default now(),
  primary key (family, environment, factory)
);

grant select on split_factories to svc_api, svc_daemon, svc_operator;
grant insert on split_factories to svc_daemon;

-- Those of EVM follow from their code. On TRON those with charges have been offered, which they were only with their code
-- there; others the daemon looks at again.
insert into split_factories (family, environment, factory)
select distinct s.family, s.environment, s.factory from service_terms s
where s.family = 'evm' or exists (
  select from charges c
  where c.family = s.family and c.environment = s.environment and not c.is_simulated
    and c.split_terms ->> 'factory' = s.factory);

-- An address as TRON writes it: base58 over 0x41, its twenty bytes, and four of their double SHA-256.
create function tron_address(address text) returns text
  language plpgsql immutable set search_path = public, pg_temp as $$
declare
  digits constant text := '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  bytes   bytea := '\x41' || decode(substr(address, 3), 'hex');
  rest    numeric := 0;
  written text := '';
begin
  bytes := bytes || substr(sha256(sha256(bytes)), 1, 4);
  for place in 0 .. length(bytes) - 1 loop
    rest := rest * 256 + get_byte(bytes, place);
  end loop;
  while rest > 0 loop
    written := substr(digits, mod(rest, 58)::int + 1, 1) || written;
    rest := div(rest, 58);
  end loop;
  return written;
end
$$;

-- As before, but for the factory, the families of its pairs, and the address that the event tells of: on TRON too it is
-- the charge's own.
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
          where s.family = c.family and s.environment = c.environment and s.factory = terms ->> 'factory'
            -- At a simulated one nobody pays; its network may be one that no daemon looks at.
            and (c.is_simulated or exists (
              select from split_factories f
              where f.family = s.family and f.environment = s.environment and f.factory = s.factory)))
      then format('its factory %s is not ours, or nobody has seen the code there', terms ->> 'factory')
    when exists (
        select from unnest(c.accepted_payments) as a (pair)
        join pairs p on p.token || '/' || p.network = a.pair and p.environment = c.environment
        join deployments d on d.chain_id = p.chain_id
        where d.family <> c.family)
      then 'it accepts a pair of another family than its address is of'
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
        where d.id = c.id and d.status = 'pending' and d.environment = c.environment
          and (lower(d.address) = c.address or c.family = 'tron' and d.address = tron_address(c.address))
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
