-- A feed that was once led by a node of another chain begins, or stands, above every block of its own: nothing of the
-- chain is read, and nothing here would ever lower a mark. An operator orders it mended, and the daemon that owns the
-- chain does it. Blocks nobody: the new columns are null or constant, so no table is rewritten.

alter table deployments
  add column feed_above_since  timestamptz, -- the feed has been above every head of its nodes since then
  add column mend_requested_at timestamptz, -- an operator's order, until it is carried out
  add column mend_from         bigint check (mend_from >= 0), -- from this block; null: the daemon finds it
  add column feed_mends        int not null default 0; -- so often; part of the name of Ponder's schema

grant update (mend_requested_at, mend_from) on deployments to svc_operator;
