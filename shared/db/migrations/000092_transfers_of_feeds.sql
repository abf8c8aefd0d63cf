-- The last transfer that a feed brought, on whatever family of chains. Blocks writers of transfers while it reads them.
drop index transfers_of_feed;
create index transfers_of_feed on transfers (id) where source in ('contract_watcher', 'tron_watcher');
