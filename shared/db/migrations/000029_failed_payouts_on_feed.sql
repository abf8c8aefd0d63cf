-- The keeper feed lists what has failed as well: anybody may still distribute it. Writers of payouts wait while the index
-- is built.

drop index payouts_claimable;
create index payouts_claimable on payouts (environment, available_since, id) where status in ('pending', 'failed');
