-- When the chain was last asked about an authorization, and where our transaction stood then: asked anew when that has moved, or
-- after some seconds, the one not asked for longest first. Blocks nobody; the build before this one asks about all in each turn.
alter table authorizations
  add column looked_at timestamptz,
  add column looked_transaction text; -- hash and status

grant update (looked_at, looked_transaction) on authorizations to svc_daemon;
