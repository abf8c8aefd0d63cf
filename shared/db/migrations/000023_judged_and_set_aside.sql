-- One row in trouble must not hold up the others of its chain. Blocks writers of transfers, split_events and
-- escrow_movements while small indexes are built.

-- When a missing row was judged last: the oldest judgement comes first, or twenty rows about which no node can say
-- anything would be all that is ever judged.
alter table transfers add column judged_at timestamptz not null default '-infinity';
alter table split_events add column judged_at timestamptz not null default '-infinity';
alter table escrow_movements add column judged_at timestamptz not null default '-infinity';

drop index transfers_missing;
drop index split_events_missing;
drop index escrow_movements_missing;
create index transfers_missing on transfers (chain_id, judged_at, id) where presence = 'missing';
create index split_events_missing on split_events (chain_id, judged_at, id) where presence = 'missing';
create index escrow_movements_missing on escrow_movements (chain_id, judged_at, id) where presence = 'missing';

-- Logs that move our charges' money by what no column can hold, such as 10^66 units of a token that anyone can mint.
-- Kept as text and told once; nothing is credited for them.
create table set_aside_logs (
  chain_id     bigint not null references deployments,
  tx_hash      text not null,
  log_index    numeric not null,
  charge_id    text not null references charges,
  reason       text not null, -- the field, its value and the limit
  set_aside_at timestamptz not null default now(),
  primary key (chain_id, tx_hash, log_index)
);

grant select on set_aside_logs to svc_operator;
grant select, insert on set_aside_logs to svc_daemon;
