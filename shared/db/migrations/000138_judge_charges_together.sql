-- The charges of a call are judged in one statement and not each by a function of its own, and what some have in common,
-- the terms of one merchant, is judged once: of fifty charges 125 µs each before, some 40 now, most of it their events.
-- What their pairs say is read once for all that accept the same. Blocks nobody; the build before this one is quicker too.

-- Of the terms of new charges, what SQL can tell, as before; whether the address is that of the terms, and the fees are
-- right, the daemon computes. Raises what is wrong with the first of them; answers true, so that it can stand in a condition.
-- `event_data` are the texts of their events, in the order of `wanted`.
create function require_terms_of(wanted charges[], event_data text[]) returns boolean
  language plpgsql stable set search_path = public, pg_temp
  -- Planning for the arrays at hand takes longer than the work.
  set plan_cache_mode = force_generic_plan as $$
declare
  refused record;
begin
  with charged as materialized (
    select * from unnest(wanted) with ordinality c
    join unnest(event_data) with ordinality e (data, ordinality) using (ordinality)
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
              -- At a simulated one nobody pays; its network may be one that no daemon looks at.
              and (c.is_simulated or exists (
                select from split_factories f
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
      end as problem
    from kinds c
    union all
    select c.ordinality, c.id, case
      when c.escrow_releaser is null and (c.address <> c.split_address or c.escrow_fee_percent is not null)
        then 'without escrow it has an address that is not its split''s, or a surcharge'
      when c.escrow_releaser is not null and (c.address = c.split_address or c.escrow_fee_percent is null
          or exists (select from charges o where o.address = c.split_address))
        then 'its escrow has the address of a split, or no surcharge'
      when exists (select from charges o where o.split_address = c.address and o.escrow_releaser is not null)
        then 'its address is the split of another charge'
      -- Of two members of one name readers take either, so there must be none.
      when not (
          select count(*) = count(distinct e.key)
            and count(*) filter (where e.key in ('id', 'address', 'status', 'environment', 'isOverpaid')) = 5
            and bool_and(case
              when e.key = 'id' then e.value = c.id
              when e.key = 'address' then lower(e.value) = c.address or c.family = 'tron' and e.value = tron_address(c.address)
              when e.key = 'status' then e.value = 'pending'
              when e.key = 'environment' then e.value = c.environment
              when e.key = 'isOverpaid' then e.value = 'false'
              when e.key in ('settlementStatus', 'amountReceived', 'txHash', 'confirmedAt', 'settledAt') then e.value is null
              else true end is true)
          from json_each_text(c.data::json) e)
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

-- Of one, for `import_charge`.
create or replace function require_charge_terms(c charges, event_data text) returns boolean
  language sql stable set search_path = public, pg_temp as $$
  select require_terms_of(array[c], array[event_data])
$$;

-- As it was (migration 000128), but for what is judged, and read of the pairs, once for all.
create or replace function create_charges(requests jsonb)
  returns table (place int, outcome text, charge_id text, pair_position int)
  language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan as $$
begin
  return query
  with wanted as materialized (
    select r.place::int, r.request ->> 'event_id' as event_id, r.request ->> 'event_data' as data,
      coalesce(w.is_simulated, false) as simulated, w as charge, w.*
    from jsonb_array_elements(requests) with ordinality as r (request, place)
    cross join lateral jsonb_populate_record(null::charges, r.request) w
  ),
  offers as materialized (
    select k.*, f.outcome, f.pair_position,
      array(select distinct p.chain_id from pairs p where not k.simulated and p.environment = k.environment
            and p.token || '/' || p.network = any (k.accepted_payments)) as chains
    from (select distinct w.environment, w.accepted_payments, w.simulated from wanted w) k
    left join lateral refused_pair(k.environment, k.accepted_payments) f on not k.simulated
  ),
  judged as materialized (
    select w.place, e.id as earlier_id, e.is_same, o.outcome as state, o.pair_position as position, o.chains
    from wanted w
    left join offers o on o.environment = w.environment and o.accepted_payments = w.accepted_payments
      and o.simulated = w.simulated
    left join lateral (
      select c.id, c.request_hash = w.request_hash as is_same from charges c
      where c.organization_id = w.organization_id and c.environment = w.environment
        and c.idempotency_key = w.idempotency_key and c.idempotency_key is not null
      limit 1
    ) e on true
  ),
  inserted as (
    insert into charges as c (
      id, organization_id, environment, api_key_id, family, amount_micro, fee_payer, fee_percent,
      escrow_fee_percent, accepted_payments, accepted_chains, address, split_address, split_terms,
      split_recipients, escrow_releaser, external_ref, source, metadata, redirect_url, idempotency_key,
      request_hash, created_at, expires_at, last_activity_at, is_simulated, api_request_id)
    select w.id, w.organization_id, w.environment, w.api_key_id, w.family, w.amount_micro, w.fee_payer,
      w.fee_percent, w.escrow_fee_percent, w.accepted_payments, j.chains,
      w.address, w.split_address, w.split_terms, w.split_recipients, w.escrow_releaser, w.external_ref, w.source,
      w.metadata, w.redirect_url, w.idempotency_key, w.request_hash, w.created_at, w.expires_at, w.created_at,
      w.simulated, w.api_request_id
    from wanted w
    join judged j on j.place = w.place and j.earlier_id is null and j.state is null
    where (
      select require_terms_of(array_agg(t.charge order by t.place), array_agg(t.data order by t.place))
      from wanted t
      join judged k on k.place = t.place and k.earlier_id is null and k.state is null)
    order by w.id
    on conflict (organization_id, environment, idempotency_key) where idempotency_key is not null do nothing
    returning c.id
  ),
  told as (
    insert into events (id, category, type, organization_id, environment, charge_id, data, created_at, api_request_id)
    select w.event_id, 'payments', 'charge.created', w.organization_id, w.environment, w.id, w.data, w.created_at,
      w.api_request_id
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
