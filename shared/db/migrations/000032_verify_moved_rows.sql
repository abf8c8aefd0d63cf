-- A feed that follows a fork moves a counted row to a block of the fork, which removes the mark of the row's quorum. If
-- the watermark then passes that block, no feed shows the row again. The daemon therefore verifies such rows with a
-- quorum. It searches for them every 30 s, with these indexes.
create index transfers_counted_unagreed on transfers (chain_id, id)
  where credited_at is not null and agreed_by is null and inclusion = 'included' and chain_id is not null;
create index split_events_counted_unagreed on split_events (chain_id, id)
  where applied_at is not null and agreed_by is null and inclusion = 'included';
create index escrow_transfers_counted_unagreed on escrow_transfers (chain_id, id)
  where applied_at is not null and agreed_by is null and inclusion = 'included';
