-- A charge that an operator has brought back may have been paid and distributed while nobody knew of it: no balance shows
-- that, and what was looked through meanwhile was not looked through for it. So its whole life is searched on each chain
-- before it may end unpaid. Writers of `balance_evidence` wait while the column is added, for milliseconds; the build before
-- this one runs beside it, and searches none.
alter table balance_evidence add column needs_search boolean not null default false;

-- As before, and with rows of evidence: of those whose time was up long ago a daemon that runs makes none.
create or replace function import_charge(request jsonb, check_id text) returns text
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
  -- What is told of a charge is the sum of both fees: an escrow's surcharge is the one of ours that makes it.
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
  perform require_charge_terms(c, json_build_object('id', c.id, 'address', c.address, 'status', 'pending',
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
  insert into balance_evidence (charge_id, chain_id, next_at, needs_search)
  select c.id, chain_id, c.expires_at, true from unnest(c.accepted_chains) as a (chain_id);
  insert into requests (id, kind, organization_id, charge_id, payload)
  values (check_id, 'check', c.organization_id, c.id, '{"hint":null}');
  perform pg_notify('svc_requests', 'check');
  return 'imported';
end
$$;
