-- A transaction that must not, or can not, be mined any more is replaced by an empty transfer to ourselves, which only
-- uses its nonce. Blocks writers of relayer_transactions for a moment.
alter table relayer_transactions
  -- It moves nothing, so that its success is told as `reverted`: what it stands for did not happen.
  add column is_empty boolean not null default false,
  add column valid_until timestamptz, -- mined later, it would be against somebody's will
  add column refused_since timestamptz; -- no node took it since then; null: one did, or none was heard
