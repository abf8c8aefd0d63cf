-- What is taken up must not cost the backlog behind it. Blocks writers of these tables while the indexes are built.

-- A chain's worker must not read what waits for another chain's node.
drop index payouts_due;
create index payouts_due on payouts (chain_id, next_attempt_at, id) where status in ('pending', 'processing');
drop index held_shares_due;
create index held_shares_due on held_shares (chain_id, next_attempt_at, id) where held_atomic > 0;

-- One key column: of several the planner thinks that they lie less in the order of the table, and beside a backlog it
-- then walks the primary key, which is in that order, through all that was ever credited.
drop index transfers_uncredited;
create index transfers_uncredited on transfers (id) include (chain_id)
  where credited_at is null and accepted and presence <> 'vanished';
