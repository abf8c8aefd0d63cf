-- Where the swap provider swaps, as it has said itself: the API asks it at start, and both processes show the same
-- `swapAlternatives` by it, the daemon in webhooks too, which has no key of the provider's.
create table swap_chains (
  provider  text primary key check (length(provider) between 1 and 20),
  chain_ids bigint[] not null check (cardinality(chain_ids) <= 1000),
  read_at   timestamptz not null default now()
);

grant select on swap_chains to svc_api, svc_daemon;
grant insert, update on swap_chains to svc_api;
