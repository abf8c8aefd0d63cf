-- Refunds that merchants pay from their own wallets. Only the daemon writes them, after it has checked a request of the
-- API under the lock of the charge. The first statements lock `requests` for an instant.
alter table requests drop constraint requests_kind_check, add constraint requests_kind_check check (
  kind in ('check', 'sandbox_trigger', 'escrow_order', 'authorization', 'delivery_retry', 'webhook_test', 'refund'));
alter table requests drop constraint requests_have_subject, add constraint requests_have_subject check (
  case when kind in ('check', 'sandbox_trigger', 'escrow_order', 'authorization', 'refund')
       then charge_id is not null and subject_id is null
       else charge_id is null and subject_id is not null end);

create table refunds (
  id              text primary key check (id ~ '^rf_[0-9a-z]{20,}$'),
  charge_id       text not null references charges,
  organization_id text not null references organizations,
  environment     text not null check (environment in ('live', 'test')),
  family          text not null check (family in ('evm', 'tron')),

  -- The transfer to find, written once. Chain and token are null in the sandbox.
  network         text not null,
  token           text not null,
  chain_id        bigint references deployments,
  token_address   text check (token_address ~ '^0x[0-9a-f]{40}$'),
  decimals        int not null check (decimals between 0 and 18),
  sender          text not null check (sender ~ '^0x[0-9a-f]{40}$'),
  destination     text not null check (destination ~ '^0x[0-9a-f]{40}$'),
  amount_atomic   numeric(78, 0) not null check (amount_atomic > 0),
  -- The newest head that a quorum reached at the declaration. The transfer must be in a later block.
  after_block     bigint check (after_block >= 0),
  reason          text not null check (reason in ('requested_by_customer', 'duplicate', 'overpayment', 'underpayment',
                    'late_payment', 'other')),
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  request_hash    text not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null check (expires_at > created_at),

  -- State of machines/refund.ts.
  status          text not null default 'awaiting_payment'
                  check (status in ('awaiting_payment', 'seen', 'confirmed', 'canceled', 'expired')),
  tx_hash         text,
  -- Position among equal transfers of the transaction. It survives a reorganization, unlike an index in the block.
  ordinal         int check (ordinal >= 0),
  block_number    bigint,
  block_hash      text,
  block_timestamp bigint,
  agreed_by       text[], -- the operators that showed the transfer
  counted_atomic  numeric(78, 0) check (counted_atomic between 0 and amount_atomic),
  seen_at         timestamptz,
  confirmed_at    timestamptz,
  canceled_at     timestamptz,
  expired_at      timestamptz,
  scanned_block   bigint, -- a quorum has listed the transfers up to here

  constraint refunds_idempotent unique (charge_id, idempotency_key),
  constraint refunds_on_chain check ((chain_id is null) = (token_address is null)
    and (chain_id is null) = (after_block is null) and (chain_id is null) = (scanned_block is null)),
  constraint refunds_simulated_in_test_only check (chain_id is not null or environment = 'test'),
  constraint refunds_after_block check (block_number is null or block_number > after_block),
  constraint refunds_confirmed check ((status = 'confirmed') = (confirmed_at is not null and counted_atomic is not null)),
  -- A refund on a chain is never seen or confirmed by the report of a single node.
  constraint refunds_agreed check (chain_id is null or status not in ('seen', 'confirmed')
    or (tx_hash is not null and ordinal is not null and block_number is not null and cardinality(agreed_by) > 0))
);

create index refunds_of_charge on refunds (charge_id, id);
-- A transfer is matched by its content, so an organization can have only one open refund of the same content.
create unique index refunds_one_open on refunds
  (organization_id, environment, chain_id, token_address, sender, destination, amount_atomic)
  where status in ('awaiting_payment', 'seen') and chain_id is not null;
-- A transfer pays one refund of an organization. Another organization that declared the same wallet does not learn about it,
-- and its refund counts only in its own books.
create unique index refunds_by_transfer on refunds
  (organization_id, environment, chain_id, tx_hash, token_address, sender, destination, amount_atomic, ordinal)
  where tx_hash is not null;
create index refunds_watched on refunds (chain_id, expires_at) where status <> 'confirmed';
-- Together with the previous index: for the query for refunds until some time after their deadline, or permanently if seen.
create index refunds_seen on refunds (chain_id) where status = 'seen';
create index refunds_due on refunds (expires_at) where status = 'awaiting_payment';
create index refunds_counted_in_part on refunds (confirmed_at) where counted_atomic < amount_atomic;

-- Requires that only a test charge has a simulated refund. A trigger, because it must hold against a stolen API role.
create function validate_simulated_refund() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from charges where id = new.charge_id and environment = 'test') then
    raise exception 'request % cannot simulate a refund of %', new.id, new.charge_id using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger requests_validate_simulated_refund before insert on requests
  for each row when (new.kind = 'refund' and new.payload ->> 'action' = 'simulate')
  execute function validate_simulated_refund();

grant select on refunds to svc_api, svc_operator;
-- The amount and the destination of a refund are written once.
grant select, insert on refunds to svc_daemon;
grant update (status, tx_hash, ordinal, block_number, block_hash, block_timestamp, agreed_by, counted_atomic, seen_at,
    confirmed_at, canceled_at, expired_at, scanned_block) on refunds to svc_daemon;
