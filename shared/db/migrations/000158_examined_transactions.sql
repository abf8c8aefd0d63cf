-- A transaction of ours that was told as successful, but whose event is never applied, blocks its payout: no other is
-- signed for it. Its result is therefore read again some time after it was resolved. The column is null until then, and
-- for rows from before, which count from their creation. Adds a nullable column: a brief lock, no rewrite.

alter table relayer_transactions
  add column examined_at timestamptz; -- when a quorum last showed its result at depth

grant update (examined_at) on relayer_transactions to svc_daemon;
