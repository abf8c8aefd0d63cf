-- The blocks of a refund are read a second time, some minutes after the first, before its deadline can pass. A refund that
-- had ended is seen again if it is paid nevertheless. A confirmed refund is verified again. Only the daemon updates these
-- rows, a few at a time, so the new indexes block it for an instant.

-- The second reading: the block and the time up to which a quorum has listed the transfers again. Null: not begun.
alter table refunds
  add column reread_block bigint,
  add column reread_until timestamptz,
  -- When the transfer of a confirmed refund is read again; null after some days, and in the sandbox.
  add column verify_at timestamptz,
  -- Since when a quorum denies the transfer of a confirmed refund (decisions 3.8).
  add column missing_since timestamptz check (missing_since is null or status = 'confirmed');

-- An ended refund that is seen does not make a content ambiguous: its transfer is known.
drop index refunds_one_open;
create unique index refunds_one_open on refunds
  (organization_id, environment, chain_id, token_address, sender, destination, amount_atomic)
  where status in ('awaiting_payment', 'seen') and canceled_at is null and expired_at is null and chain_id is not null;
create index refunds_to_verify on refunds (chain_id, verify_at) where verify_at is not null;
create index refunds_missing on refunds (id) where missing_since is not null;

grant update (reread_block, reread_until, verify_at, missing_since) on refunds to svc_daemon;
