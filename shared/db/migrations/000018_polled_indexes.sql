-- What the daemon asks every second or three must cost what waits, not all that was ever done. So each question has an
-- index of its waiting rows alone, in the order it is asked in: with another order, a plan for any limit may walk the
-- primary key instead. Blocks writers of transfers, split_events and escrow_movements while they are built.

-- Not credited yet: due at depth, told of with a new head, or holding an expiry back though it is missing. No block
-- number in it, because reconciliation knows of depth without one (shared/db/chain-facts/at-depth.ts).
drop index transfers_awaiting_depth;
create index transfers_uncredited on transfers (id, chain_id)
  where credited_at is null and accepted and presence <> 'vanished';

-- Not counted yet. The two that the first one replaces left out what vanished after it was announced, so that the
-- question for news, which asks for that too, could use neither.
drop index split_events_awaiting_depth;
drop index split_events_unannounced;
create index split_events_unapplied on split_events (id) where applied_at is null;
drop index escrow_movements_awaiting_depth;
create index escrow_movements_unapplied on escrow_movements (id) where applied_at is null and presence = 'present';

-- Missing, oldest first.
drop index transfers_missing;
create index transfers_missing on transfers (chain_id, id) where presence = 'missing';
create index split_events_missing on split_events (chain_id, id) where presence = 'missing';
create index escrow_movements_missing on escrow_movements (chain_id, id) where presence = 'missing';
