-- How charges are inserted.

-- The only way of the API to insert charges, each with its `charge.created` event, in one statement. Several per call,
-- because a statement's constraints and triggers are set up once per call (measured: 160 us for one charge, 60 us for
-- each of twenty; terms and pairs are checked once for all charges that share them: 40 us for each of fifty).
-- `requests` is an array of objects: the columns of a charge, and `event_id` and `event_data` of its event. Returns
-- for each, by its place from 1: `created`; `replayed` (same key, same body: the stored id); `idempotency_key_reused`;
-- or why the first pair (its position from 1) cannot be accepted now (decisions 2.3, 3.3), except for a simulated
-- charge, whose pairs need not exist. `raced`: another transaction used the idempotency key in the meantime; retry.
create function create_charges(requests jsonb)
  returns table (place int, outcome text, charge_id text, pair_position int)
  language plpgsql security definer set search_path = public, pg_temp
  -- Planning for the arrays at hand takes longer than the work.
  set plan_cache_mode = force_generic_plan as $$
begin
  return query
  with input as materialized (
    select w.*, w.ordinality::int as place, coalesce(w.is_simulated, false) as simulated
    from rows from (jsonb_to_recordset(requests) as (
      id text, organization_id text, environment text, api_key_id text, family text, is_simulated boolean,
      amount_micro numeric(24, 0), fee_payer text, fee_percent numeric(7, 4), escrow_fee_percent numeric(7, 4),
      accepted_payments text[], address text, split_address text, split_terms json, split_recipients json,
      escrow_releaser text, external_ref text, source text, metadata text, redirect_url text, idempotency_key text,
      request_hash bytea, api_request_id uuid, created_at timestamptz, expires_at timestamptz,
      event_id text, event_data text)) with ordinality as w
  ),
  offers as materialized (
    select k.*, f.outcome, f.pair_position,
      array(select distinct p.chain_id from pairs p where not k.simulated and p.environment = k.environment
            and p.token || '/' || p.network = any (k.accepted_payments)) as chains
    from (select distinct w.environment, w.accepted_payments, w.simulated from input w) k
    left join lateral find_rejected_pair(k.environment, k.accepted_payments) f on not k.simulated
  ),
  checked as materialized (
    select w.place, e.id as earlier_id, e.is_same, o.outcome as state, o.pair_position as position, o.chains
    from input w
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
    from input w
    join checked j on j.place = w.place and j.earlier_id is null and j.state is null
    where (
      select validate_terms(array_agg(row(t.id, t.organization_id, t.environment, t.api_key_id, t.family, t.is_simulated,
        t.fee_percent, t.escrow_fee_percent, t.accepted_payments, t.address, t.split_address, t.split_terms,
        t.split_recipients, t.escrow_releaser, t.event_data)::charge_terms order by t.place))
      from input t
      join checked k on k.place = t.place and k.earlier_id is null and k.state is null)
    order by w.id
    on conflict (organization_id, environment, idempotency_key) where idempotency_key is not null do nothing
    returning c.id
  ),
  inserted_events as (
    insert into events as e
      (id, category, type, organization_id, environment, charge_id, data, created_at, api_request_id)
    select w.event_id, 'payments', 'charge.created', w.organization_id, w.environment, w.id, w.event_data, w.created_at,
      w.api_request_id
    from input w
    join inserted i on i.id = w.id
    order by w.place
    returning e as event
  ),
  inserted_deliveries as (
    insert into deliveries (webhook_id, event_number, charge_id)
    select webhook_id, (event).number, (event).charge_id
    from inserted_events, list_receiving_webhooks(event) as webhook_id
    order by (event).number
  )
  select w.place,
    case when i.id is not null then 'created'
         when j.earlier_id is not null then case when j.is_same then 'replayed' else 'idempotency_key_reused' end
         when j.state is not null then j.state
         else 'raced' end,
    coalesce(i.id, j.earlier_id), case when j.earlier_id is null then j.position end
  from input w
  join checked j on j.place = w.place
  left join inserted i on i.id = w.id
  order by w.place;
end
$$;

-- Lets an operator insert a charge that a restored database does not know, from the data that its merchant received
-- when it was created. `request` has the columns of a charge; `check_id` is the id of a check request. The terms are
-- checked as in `create_charges`, and again by the daemon before it acts. The charge is inserted in the state in which
-- it was created: pending. It gets no event, because the event was already sent. A check that finds its payments on the
-- chain is requested with it. Returns `imported`, or `known` if the charge already exists, which is then not changed.
create function import_charge(request jsonb, check_id text) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  c charges := jsonb_populate_record(null::charges, request);
begin
  if exists (select from charges o where o.id = c.id) then
    return 'known';
  end if;
  c.accepted_chains := array(
    select distinct p.chain_id from pairs p
    where p.environment = c.environment and p.token || '/' || p.network = any (c.accepted_payments));
  if exists (
      select from unnest(c.accepted_payments) as a (pair)
      where not exists (
        select from pairs p where p.environment = c.environment and p.token || '/' || p.network = a.pair)) then
    raise exception 'charge % is refused: a pair of % is not watched', c.id, c.accepted_payments
      using errcode = 'check_violation';
  end if;
  -- Responses show the sum of both fees. The surcharge is the promised one that gives this sum.
  if c.escrow_releaser is not null then
    select e.fee into c.escrow_fee_percent
    from (
      select escrow_fee_percent as fee from service_terms where family = c.family and environment = c.environment
      union select escrow_fee_percent from organization_escrow_fees where organization_id = c.organization_id) e
    join (
      select fee_percent as fee from service_terms where family = c.family and environment = c.environment
      union select fee_percent from organization_fees where organization_id = c.organization_id) f
      on f.fee + e.fee = c.fee_percent
    limit 1;
  end if;
  perform validate_charge_terms(c, json_build_object('id', c.id, 'address', c.address, 'status', 'pending',
    'environment', c.environment, 'isOverpaid', false)::text);
  insert into charges (
    id, organization_id, environment, api_key_id, family, amount_micro, fee_payer, fee_percent, escrow_fee_percent,
    accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, escrow_releaser,
    external_ref, source, metadata, redirect_url, request_hash, created_at, expires_at, last_activity_at)
  values (
    c.id, c.organization_id, c.environment, c.api_key_id, c.family, c.amount_micro, c.fee_payer, c.fee_percent,
    c.escrow_fee_percent, c.accepted_payments, c.accepted_chains, c.address, c.split_address, c.split_terms,
    c.split_recipients, c.escrow_releaser, c.external_ref, c.source, c.metadata, c.redirect_url, '', c.created_at,
    c.expires_at, c.created_at);
  insert into expiry_verifications (charge_id, chain_id, next_attempt_at, needs_search)
  select c.id, chain_id, c.expires_at, true from unnest(c.accepted_chains) as a (chain_id);
  insert into requests (id, kind, organization_id, charge_id, payload)
  values (check_id, 'check', c.organization_id, c.id, '{"hint":null}');
  perform pg_notify('svc_requests', 'check');
  return 'imported';
end
$$;

grant execute on function create_charges to svc_api;
grant execute on function import_charge to svc_operator;
