-- The terms that a new charge may have.

-- Returns the first of these pairs ('USDC/base') that a charge cannot accept now, by its position from 1, and why; no
-- row if it can accept all of them (decisions 2.3). The caller must be able to read pairs and deployments.
create function find_rejected_pair(wanted_environment text, wanted text[])
  returns table (outcome text, pair_position int)
  language sql stable as $$
  select s.outcome, s.pair_position
  from (
    select a.position::int as pair_position,
      case when p.enabled is not true or d.contracts_match is false then 'token_not_supported'
           when d.contracts_match is null then 'rpc_unavailable'
           when p.paused_at is not null then 'payment_temporarily_unavailable' end as outcome
    from unnest(wanted) with ordinality as a (pair, position)
    left join pairs p on p.token || '/' || p.network = a.pair and p.environment = wanted_environment
    left join deployments d on d.chain_id = p.chain_id
  ) s
  where s.outcome is not null
  order by s.outcome <> 'token_not_supported', s.pair_position -- 422 takes precedence over 503
  limit 1
$$;

grant execute on function find_rejected_pair to svc_api;

-- Returns an address as TRON writes it: base58 over 0x41, its twenty bytes, and four of their double SHA-256.
create function format_tron_address(address text) returns text
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

-- What is checked of a new charge, and the text of its event.
create type charge_terms as (
  id text, organization_id text, environment text, api_key_id text, family text, is_simulated boolean,
  fee_percent numeric, escrow_fee_percent numeric, accepted_payments text[], address text, split_address text,
  split_terms json, split_recipients json, escrow_releaser text, event_data text);

-- Checks the terms of new charges as far as SQL can. The daemon computes whether the address follows from the terms,
-- and whether the fees are right. Raises the first problem; returns true, so that the call can be part of a condition.
-- It guards against a stolen API role; shared/domain/find-terms-problem.ts has the same rules for the daemon. Terms
-- that several charges share, such as those of one merchant, are checked once. `offset 0` keeps PostgreSQL from
-- reading all charges into a hash table. Without it, PostgreSQL did so for minutes in a new installation, because it
-- had planned the lookup for an empty table (25 us more per charge for each thousand charges).
create function validate_terms(wanted charge_terms[]) returns boolean
  language plpgsql stable set search_path = public, pg_temp
  -- Planning for the arrays at hand takes longer than the work.
  set plan_cache_mode = force_generic_plan as $$
declare
  refused record;
begin
  with charged as materialized (
    select * from unnest(wanted) with ordinality c
  ),
  kinds as materialized (
    select distinct on (c.api_key_id, c.organization_id, c.environment, c.family, c.is_simulated, c.fee_percent,
        c.escrow_fee_percent, c.accepted_payments, c.split_terms::text, c.split_recipients::text)
      c.*, c.split_terms::jsonb as terms
    from charged c
    order by c.api_key_id, c.organization_id, c.environment, c.family, c.is_simulated, c.fee_percent,
      c.escrow_fee_percent, c.accepted_payments, c.split_terms::text, c.split_recipients::text, c.ordinality
  )
  select p.id, p.problem into refused
  from (
    select c.ordinality, c.id, case
      when jsonb_typeof(c.terms) is distinct from 'object' or jsonb_typeof(c.terms -> 'recipients') is distinct from 'array'
          or jsonb_typeof(c.terms -> 'allocations') is distinct from 'array'
          or json_typeof(c.split_recipients) is distinct from 'array'
        then 'its terms have no lists of recipients and allocations'
      when not exists (
          select from api_keys k
          where k.id = c.api_key_id and k.organization_id = c.organization_id and k.environment = c.environment)
        then 'its key is none of its organization and environment'
      when exists (select from service_terms)
          and not exists (
            select from service_terms s
            where s.family = c.family and s.environment = c.environment and s.factory = c.terms ->> 'factory'
              -- A simulated charge is never paid on chain, and no daemon may watch its network.
              and (c.is_simulated or exists (
                select from trusted_factories f
                where f.family = s.family and f.environment = s.environment and f.factory = s.factory)))
        then format('its factory %s is not ours, or nobody has seen the code there', c.terms ->> 'factory')
      when exists (
          select from unnest(c.accepted_payments) as a (pair)
          join pairs p on p.token || '/' || p.network = a.pair and p.environment = c.environment
          join deployments d on d.chain_id = p.chain_id
          where d.family <> c.family)
        then 'it accepts a pair of another family than its address is of'
      when jsonb_array_length(c.terms -> 'recipients') not between 1 and 16
          or jsonb_array_length(c.terms -> 'recipients') <> jsonb_array_length(c.terms -> 'allocations')
        then 'it has not 1 to 16 recipients with an allocation each'
      when (c.terms -> 'totalAllocation' = '1000000' and (
          select sum(a.value::numeric) = 1000000 and bool_and(a.value::numeric between 1 and 1000000)
            and bool_and(a.value ~ '^[1-9][0-9]*$')
          from jsonb_array_elements_text(c.terms -> 'allocations') as a)) is not true
        then 'its allocations do not add up to 1000000'
      when ((c.terms ->> 'distributionIncentive') ~ '^[0-9]{1,5}$'
          and (c.terms ->> 'distributionIncentive')::int <= 50000) is not true
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
          select from jsonb_array_elements_text(c.terms -> 'recipients') as r (address)
          where r.address !~ '^0x[0-9a-f]{40}$' or (
            exists (select from service_terms)
            and not exists (
              select from service_terms s
              where s.family = c.family and s.environment = c.environment and s.treasury = r.address)
            and not exists (
              select from api_keys k
              where k.id = c.api_key_id
                and build_payout_addresses(k.payout_address, k.other_payout_addresses) ->> c.family = r.address)
            and not exists (select from json_array_elements(c.split_recipients) p where p ->> 'address' = r.address)))
        then 'it pays an address that is neither the key''s, the treasury''s nor a recipient''s'
      when exists (
          select from json_array_elements(c.split_recipients) p
          where not exists (
            select from recipients r
            where r.organization_id = c.organization_id and r.environment = c.environment and r.family = c.family
              and r.address = p ->> 'address'))
        then 'it pays a recipient that is not registered'
      end as problem
    from kinds c
    union all
    select c.ordinality, c.id, case
      when c.escrow_releaser is null and (c.address <> c.split_address or c.escrow_fee_percent is not null)
        then 'without escrow it has an address that is not its split''s, or a surcharge'
      when c.escrow_releaser is not null and (c.address = c.split_address or c.escrow_fee_percent is null
          or exists (select from charges o where o.address = c.split_address offset 0))
        then 'its escrow has the address of a split, or no surcharge'
      when exists (select from charges o where o.split_address = c.address and o.escrow_releaser is not null offset 0)
        then 'its address is the split of another charge'
      -- Readers of JSON take either of two members with one name, so names must be unique.
      when not (
          select count(*) = count(distinct e.key)
            and count(*) filter (where e.key in ('id', 'address', 'status', 'environment', 'isOverpaid')) = 5
            and bool_and(case
              when e.key = 'id' then e.value = c.id
              when e.key = 'address' then lower(e.value) = c.address or c.family = 'tron' and e.value = format_tron_address(c.address)
              when e.key = 'status' then e.value = 'pending'
              when e.key = 'environment' then e.value = c.environment
              when e.key = 'isOverpaid' then e.value = 'false'
              when e.key in ('settlementStatus', 'amountReceived', 'txHash', 'confirmedAt', 'settledAt') then e.value is null
              else true end is true)
          from json_each_text(c.event_data::json) e)
        then 'its event tells of another charge, or of one that was paid'
      end
    from charged c
  ) p (ordinality, id, problem)
  where p.problem is not null
  order by p.ordinality
  limit 1;
  if found then
    raise exception 'charge % is refused: %', refused.id, refused.problem using errcode = 'check_violation';
  end if;
  return true;
end
$$;

-- Checks one charge, for `import_charge`.
create function validate_charge_terms(c charges, event_data text) returns boolean
  language sql stable set search_path = public, pg_temp as $$
  select validate_terms(array[row(c.id, c.organization_id, c.environment, c.api_key_id, c.family, c.is_simulated,
    c.fee_percent, c.escrow_fee_percent, c.accepted_payments, c.address, c.split_address, c.split_terms,
    c.split_recipients, c.escrow_releaser, event_data)::charge_terms])
$$;
