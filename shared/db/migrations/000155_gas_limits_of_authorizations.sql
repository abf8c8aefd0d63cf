-- The gas that we have signed for each: its organization's day is counted by it. Blocks nobody; null where nothing of ours
-- carries it out, and where the build before this one has signed, which counts as 200,000.
alter table authorizations add column gas_limit bigint check (gas_limit > 0);

-- Written once, with the relayer and its nonce.
grant update (gas_limit) on authorizations to svc_daemon;
grant select (gas_limit) on authorizations to svc_api;
