-- The accounts that pay gas, as the daemons are configured. `relayers` lists every account that has ever sent a transaction, so after
-- the change of a key the doctor would still require coins for the old account, and would not know the new account. Does not
-- block writers.
create table paying_accounts (
  chain_id bigint not null references deployments,
  purpose  text not null check (purpose in ('payouts', 'signatures')),
  address  text not null check (address ~ '^0x[0-9a-f]{40}$'),
  -- Each running daemon renews it every minute.
  seen_at  timestamptz not null default now(),
  primary key (chain_id, purpose, address)
);

grant select on paying_accounts to svc_daemon, svc_operator;
grant insert, update (seen_at) on paying_accounts to svc_daemon;
