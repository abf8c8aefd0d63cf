-- When the daemon last looked at a signature that waits: those that cannot go on keep no newer one waiting. And what lapsed
-- unsent counts in a contract payer's record. Blocks nobody but writes to a table of few rows while its index is made; the build
-- before this one runs beside it, and takes the oldest first.
alter table requests add column looked_at timestamptz;
grant update (looked_at) on requests to svc_daemon;

create index authorizations_record_of_payer on authorizations (payer, id) where status in ('signed', 'reverted', 'lapsed');
drop index authorizations_of_payer;
