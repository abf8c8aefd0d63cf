-- What is deep on the chain and not in our ledger is looked at again for a day, a few times a second. Locks writes to a table
-- of few rows while it is made.
create index authorizations_ended_lately on authorizations (chain_id, ended_at) where status in ('final', 'taken');
