-- The block by which deadlines pass: the highest block that a quorum of operators showed at confirmation depth, not above
-- the feed's own. The daemon writes it only from an agreed value (`indexer/reconciliation/agree-on-deep.ts`). Until then
-- one node, the feed's, dated the deep block, and by an operator's order its word alone ended a charge.
--
-- Null until a deadline is waited for: nothing expires before. Writers of `deployments` wait for milliseconds. A daemon from
-- before this migration ignores the columns.
alter table deployments
  add column agreed_deep_number    bigint,
  add column agreed_deep_hash      text,
  add column agreed_deep_timestamp bigint, -- Unix seconds, the block's own
  add check (num_nulls(agreed_deep_number, agreed_deep_hash, agreed_deep_timestamp) in (0, 3));
grant update (agreed_deep_number, agreed_deep_hash, agreed_deep_timestamp) on deployments to svc_daemon;
