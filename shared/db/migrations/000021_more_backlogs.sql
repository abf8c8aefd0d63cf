-- More of what must not cost the backlog behind it, or all that was ever done. Blocks writers of charges, transfers and
-- payouts while the indexes are built.

-- The open charges as reconciliation takes them. Ids sort by time, so the oldest is the first of them, too.
create index charges_open on charges (id) where status in ('pending', 'partially_paid');
drop index charges_open_by_creation;

-- The last one that the feed brought, beside any number of others that came after it.
create index transfers_of_feed on transfers (id) where source = 'contract_watcher';

-- What has been sent, beside any number that wait and on whatever chain.
create index payouts_processing on payouts (chain_id) where status = 'processing';

-- As before (000013), but at most 10,000 of them, those due first: a dead endpoint may be owed millions, and whoever
-- deletes it waits for this. The daemon ends the others as they become due.
create or replace function close_deliveries(deleted_webhook_id text, at timestamptz) returns void
  language sql security definer set search_path = public, pg_temp as $$
  update deliveries
  set status = 'failed', failed_at = at, next_attempt_at = null, locked_until = null, last_error = 'webhook deleted'
  where id = any (array(
    select id from deliveries
    where status = 'pending' and id = any (array(
      select id from deliveries where webhook_id = deleted_webhook_id and status = 'pending'
      order by next_attempt_at, id limit 10000))
    order by id for no key update))
$$;
