-- Payments by signature (EIP-3009): a payer signs a transfer for a charge, and our relayer executes it.

-- The pairs that can now be paid by signature. The daemon that executes such payments renews them. The API needs no
-- setting of its own, and offers no pair for which no daemon runs.
create table signable_pairs (
  chain_id        bigint not null,
  token_address   text not null,
  domain_name     text not null check (length(domain_name) between 1 and 100), -- of EIP-712, from the token's contract
  domain_version  text not null check (length(domain_version) between 1 and 20),
  minimum_micro   numeric(24, 0) not null check (minimum_micro >= 0), -- in 1e-6 dollars; less is not worth our gas
  daily_gas_limit bigint not null check (daily_gas_limit > 0), -- of each organization on this chain
  refreshed_at    timestamptz not null default now(), -- last renewal; if old, the daemon that offered it is gone
  primary key (chain_id, token_address),
  foreign key (chain_id, token_address) references pairs (chain_id, token_address)
);

-- The accepted authorizations: which transfer, and at which nonce of which relayer. A relayer's transaction may be
-- replaced, so that nonce and not the hash identifies the transaction that carries it. Another sender might execute the
-- authorization instead, because the signature is public once a node has it. The row is therefore written before a node
-- receives the signature, without a transaction of ours, and the daemon follows the authorization to its end.
create table authorizations (
  id                       bigint generated always as identity primary key,
  request_id               text not null unique,
  organization_id          text not null references organizations,
  charge_id                text not null references charges,
  chain_id                 bigint not null references deployments,
  token_address            text not null,
  payer                    text not null check (payer ~ '^0x[0-9a-f]{40}$'),
  nonce                    text not null check (nonce ~ '^0x[0-9a-f]{64}$'), -- the payer's, usable once
  digest                   text not null check (digest ~ '^0x[0-9a-f]{64}$'), -- of the signed data, without the signature
  value_atomic             numeric(78, 0) not null check (value_atomic > 0),
  valid_before             bigint not null, -- Unix seconds; the token requires a block before this time
  -- Whether the payer's own key signed; otherwise the payer's contract approves the signature. Each kind has its own
  -- circuit breaker: reverting contracts, which anyone can deploy, must not stop payments that keys signed.
  is_signed_by_key         boolean not null default true,
  -- No block below this one contains its transaction: the confirmation depth and a minute below the head at which the
  -- nonce was unused, or a quarter of an hour below the head at which another sender had used it.
  from_block               bigint not null,
  relayer                  text, -- null: another sender was first, or our transaction is not signed yet
  relayer_nonce            bigint,
  gas_limit                bigint check (gas_limit > 0), -- counts against its organization's daily quota; null like the relayer
  status                   text not null default 'signed'
                     check (status in
                       ('signed', 'mined', 'final', 'executed_externally', 'canceled', 'reverted', 'expired')),
  tx_hash                  text, -- of the transaction that carries it now
  -- When the chain was last queried, and the hash and status of our transaction at that time. The row that was not
  -- queried for the longest time comes first.
  last_checked_at          timestamptz,
  last_checked_transaction text,
  created_at               timestamptz not null default now(),
  ended_at                 timestamptz,
  constraint authorizations_unique unique (chain_id, token_address, payer, nonce),
  constraint authorizations_of_relayer unique (chain_id, relayer, relayer_nonce),
  constraint authorizations_relayer_and_nonce check ((relayer is null) = (relayer_nonce is null)),
  constraint authorizations_ended_at_check check ((status in ('signed', 'mined')) = (ended_at is null)),
  -- A number above 2^53 would make every statement fail that lists the open authorizations of a chain. The daemon
  -- rejects such an end; this check guarantees that no row has one.
  constraint authorizations_valid_before_check check (valid_before < 100000000000),
  constraint authorizations_hash check (status not in ('mined', 'final', 'executed_externally') or tx_hash is not null),
  foreign key (chain_id, relayer) references relayers
);

-- The last line of defense: at most one open authorization per charge.
create unique index authorizations_one_open_per_charge on authorizations (charge_id) where status in ('signed', 'mined');
create index authorizations_of_charge on authorizations (charge_id, id);
create index authorizations_in_flight on authorizations (chain_id, id) where status in ('signed', 'mined');
-- At depth on the chain, but not in our ledger: read for a day, several times a second.
create index authorizations_by_ended_at on authorizations (chain_id, ended_at)
  where status in ('final', 'executed_externally');
create index authorizations_of_organization on authorizations (organization_id, chain_id, created_at);
create index authorizations_by_payer on authorizations (payer, id) where status in ('signed', 'reverted', 'expired');

-- Requires a pair that the charge accepts: a signature for one charge must not be executed for another, nor for a
-- simulated one. This is a trigger, because it must hold for each statement of the daemon.
create function validate_authorization() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (
      select from charges c join pairs p on p.chain_id = new.chain_id and p.token_address = new.token_address
      where c.id = new.charge_id and c.organization_id = new.organization_id and not c.is_simulated
        and p.environment = c.environment and p.token || '/' || p.network = any (c.accepted_payments)) then
    raise exception 'authorization % is for a pair that % does not accept', new.request_id, new.charge_id
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger authorizations_validate before insert on authorizations
  for each row execute function validate_authorization();

-- Deletes an authorization that, as every node reports, no transaction executes or can execute. Returns whether it
-- deleted the row. A row for which we signed a transaction, or whose transaction is known, stays.
create function delete_authorization(of_request text) returns boolean
  language sql security definer set search_path = public, pg_temp as $$
  with deleted as (
    delete from authorizations
    where request_id = of_request and status = 'signed' and relayer is null and tx_hash is null returning 1)
  select exists (select from deleted)
$$;

grant execute on function delete_authorization to svc_daemon;
grant select on signable_pairs to svc_api, svc_operator;
grant select, insert, delete on signable_pairs to svc_daemon;
grant update (domain_name, domain_version, minimum_micro, daily_gas_limit, refreshed_at)
  on signable_pairs to svc_daemon;
grant select on authorizations to svc_operator;
-- Shown by the API, or used to decide whether a charge can take another authorization.
grant select (request_id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest, value_atomic,
    is_signed_by_key, relayer, gas_limit, status, tx_hash, valid_before, created_at, ended_at, id)
  on authorizations to svc_api;
grant select, insert on authorizations to svc_daemon;
-- The signed data never changes. The relayer, its nonce and the gas limit are written once, by a statement that
-- requires them to be null.
grant update (relayer, relayer_nonce, gas_limit, status, tx_hash, last_checked_at, last_checked_transaction, ended_at)
  on authorizations to svc_daemon;
