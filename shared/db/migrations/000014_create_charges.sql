-- How charges are made, and what no charge may be made with.

-- The first of these pairs ('USDC/base') that a charge cannot accept now, by its position from 1, and why; no row if it
-- can accept them all (decisions 2.3). Who executes it must be able to read pairs and deployments.
create function refused_pair(wanted_environment text, wanted text[])
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
  order by s.outcome <> 'token_not_supported', s.pair_position -- a 422 goes before any 503
  limit 1
$$;

grant execute on function refused_pair to svc_api;

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

-- The API's only way to make charges: rows, their `charge.created` events and (by trigger) the deliveries, at once.
-- Several in one call, because each statement's constraints and triggers are set up once per call: 160 µs for one
-- alone, 60 µs each of twenty (measured).
-- Answers for each, by its place from 1: `created`, `replayed` (same key, same body: the stored id),
-- `idempotency_key_reused`, or what is wrong with the first accepted pair (its position from 1) that is absent, unread
-- or paused now (decisions 2.3, 3.3); for a simulated charge nothing is asked of pairs, which may not even be known
-- here. `raced`: another transaction used the idempotency key meanwhile; ask again.
-- `requests` is an array of objects: the columns of a charge, and `event_id` and `event_data` of its event.
create function create_charges(requests jsonb)
  returns table (place int, outcome text, charge_id text, pair_position int)
  language plpgsql security definer set search_path = public, pg_temp
  -- Planning for the arrays at hand takes longer than the work.
  set plan_cache_mode = force_generic_plan as $$
begin
  return query
  with wanted as materialized (
    select r.place::int, r.request ->> 'event_id' as event_id, r.request ->> 'event_data' as data,
      coalesce((r.request ->> 'is_simulated')::boolean, false) as simulated, w as charge, w.*
    from jsonb_array_elements(requests) with ordinality as r (request, place)
    cross join lateral jsonb_populate_record(null::charges, r.request) w
  ),
  judged as materialized (
    select w.place, e.id as earlier_id, e.is_same, f.outcome as state, f.pair_position as position
    from wanted w
    left join lateral (
      select c.id, c.request_hash = w.request_hash as is_same from charges c
      where c.organization_id = w.organization_id and c.environment = w.environment
        and c.idempotency_key = w.idempotency_key and c.idempotency_key is not null
      limit 1
    ) e on true
    left join lateral refused_pair(w.environment, w.accepted_payments) f on not w.simulated
  ),
  inserted as (
    insert into charges as c (
      id, organization_id, environment, api_key_id, family, amount_micro, fee_payer, fee_percent,
      escrow_fee_percent, accepted_payments, accepted_chains, address, split_address, split_terms,
      split_recipients, escrow_releaser, external_ref, source, metadata, redirect_url, idempotency_key,
      request_hash, created_at, expires_at, last_activity_at, is_simulated)
    select w.id, w.organization_id, w.environment, w.api_key_id, w.family, w.amount_micro, w.fee_payer,
      w.fee_percent, w.escrow_fee_percent, w.accepted_payments,
      array(select distinct p.chain_id from pairs p where not w.simulated and p.environment = w.environment
            and p.token || '/' || p.network = any (w.accepted_payments)),
      w.address, w.split_address, w.split_terms, w.split_recipients, w.escrow_releaser, w.external_ref, w.source,
      w.metadata, w.redirect_url, w.idempotency_key, w.request_hash, w.created_at, w.expires_at, w.created_at,
      w.simulated
    from wanted w
    join judged j on j.place = w.place and j.earlier_id is null and j.state is null
    where require_charge_terms(w.charge, w.data)
    order by w.id
    on conflict (organization_id, environment, idempotency_key) where idempotency_key is not null do nothing
    returning c.id
  ),
  told as (
    insert into events (id, category, type, organization_id, environment, charge_id, data, created_at)
    select w.event_id, 'payments', 'charge.created', w.organization_id, w.environment, w.id, w.data, w.created_at
    from wanted w
    join inserted i on i.id = w.id
    order by w.place
  )
  select w.place,
    case when i.id is not null then 'created'
         when j.earlier_id is not null then case when j.is_same then 'replayed' else 'idempotency_key_reused' end
         when j.state is not null then j.state
         else 'raced' end,
    coalesce(i.id, j.earlier_id), case when j.earlier_id is null then j.position end
  from wanted w
  join judged j on j.place = w.place
  left join inserted i on i.id = w.id
  order by w.place;
end
$$;

grant execute on function create_charges to svc_api;
