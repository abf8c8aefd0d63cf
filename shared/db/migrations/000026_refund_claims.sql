-- The payer of a refund names the address, and the merchant approves it. Locks `refunds` for an instant. Stop the
-- previous build of the daemon first: it cannot read a refund without a destination.
alter table refunds
  alter column destination drop not null,
  -- SHA-256 of the secret in the payer's link. The secret itself is stored nowhere.
  add column claim_hash text check (claim_hash ~ '^[0-9a-f]{64}$'),
  drop constraint refunds_status_check,
  add constraint refunds_status_check
    check (status in ('awaiting_destination', 'awaiting_approval', 'awaiting_payment', 'seen', 'confirmed', 'canceled', 'expired')),
  drop constraint refunds_on_chain,
  add constraint refunds_on_chain check ((chain_id is null) = (token_address is null)
    and (after_block is null) = (chain_id is null or destination is null)
    and (after_block is null) = (scanned_block is null)),
  -- Only a refund that the merchant declared without an address has a link, and only it can be without a destination.
  add constraint refunds_claimable check (destination is not null or claim_hash is not null),
  add constraint refunds_destined check (case
    when status in ('awaiting_destination', 'awaiting_approval') then destination is null
    when status in ('awaiting_payment', 'seen', 'confirmed') then destination is not null
    else destination is not null or tx_hash is null end);

create unique index refunds_by_claim on refunds (claim_hash);
drop index refunds_due;
create index refunds_due on refunds (expires_at)
  where status in ('awaiting_destination', 'awaiting_approval', 'awaiting_payment');

-- Addresses that payers gave. A link accepts one claim, and another claim only after a rejection.
create table refund_claims (
  refund_id   text not null references refunds,
  number      int not null check (number between 1 and 20),
  destination text not null check (destination ~ '^0x[0-9a-f]{40}$'),
  -- The sender of a payment who signed the claim, and the signature; null without a signature. A signature is not an approval.
  signer      text check (signer ~ '^0x[0-9a-f]{40}$'),
  signature   text check (signature ~ '^0x([0-9a-f]{2})+$' and length(signature) <= 4098),
  claimed_at  timestamptz not null,
  decision    text check (decision in ('approved', 'rejected')), -- by the merchant
  decided_at  timestamptz,

  primary key (refund_id, number),
  constraint refund_claims_signed check ((signer is null) = (signature is null)),
  constraint refund_claims_decided check ((decision is null) = (decided_at is null))
);

create unique index refund_claims_one on refund_claims (refund_id) where decision is distinct from 'rejected';

-- The destination is written once, and only as the merchant approved it.
create function require_approved_destination() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if old.destination is not null or not exists (
    select from refund_claims k
    where k.refund_id = new.id and k.decision = 'approved' and k.destination = new.destination) then
    raise exception 'the destination of refund % was not approved', new.id using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger refunds_require_approved_destination before update on refunds
  for each row when (old.destination is distinct from new.destination or old.after_block is distinct from new.after_block)
  execute function require_approved_destination();

-- A decision is final.
create function keep_claim_decision() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'the claim of refund % was decided', old.refund_id using errcode = 'check_violation';
end
$$;

create trigger refund_claims_keep_decision before update on refund_claims
  for each row when (old.decision is not null) execute function keep_claim_decision();

grant select on refund_claims to svc_api, svc_operator;
grant select, insert on refund_claims to svc_daemon;
grant update (decision, decided_at) on refund_claims to svc_daemon;
grant update (destination, after_block, claim_hash) on refunds to svc_daemon;
