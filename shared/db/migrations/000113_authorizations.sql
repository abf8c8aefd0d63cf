-- Payments by signature (EIP-3009): what a payer signed for a charge and our relayer carries out. Blocks nobody; the build
-- before this one runs beside it and pays nothing by signature.

-- The pairs that can be paid so now, as the daemon that carries it out says again and again: its own row in its own words,
-- so that the API needs no setting of it, and offers nothing that no daemon would carry out.
create table signable_pairs (
  chain_id       bigint not null,
  token_address  text not null,
  domain_name    text not null check (length(domain_name) between 1 and 100), -- of EIP-712; the token's own word for itself
  domain_version text not null check (length(domain_version) between 1 and 20),
  minimum_micro  numeric(24, 0) not null check (minimum_micro >= 0), -- 1e-6 dollars; less is not worth our gas
  daily_gas      bigint not null check (daily_gas > 0), -- of one organization on this chain
  offered_at     timestamptz not null default now(), -- long ago: whoever offered it is gone
  primary key (chain_id, token_address),
  foreign key (chain_id, token_address) references pairs (chain_id, token_address)
);

grant select on signable_pairs to svc_api, svc_operator;
grant select, insert, delete on signable_pairs to svc_daemon;
grant update (domain_name, domain_version, minimum_micro, daily_gas, offered_at) on signable_pairs to svc_daemon;

-- The authorizations that were taken: which transfer, and at which nonce of which relayer. Its transaction may be replaced,
-- so that nonce and not the hash says which one carries it; somebody else may have, for what is signed is public then.
create table authorizations (
  id              bigint generated always as identity primary key,
  request_id      text not null unique,
  organization_id text not null references organizations,
  charge_id       text not null references charges,
  chain_id        bigint not null references deployments,
  token_address   text not null,
  payer           text not null check (payer ~ '^0x[0-9a-f]{40}$'),
  nonce           text not null check (nonce ~ '^0x[0-9a-f]{64}$'), -- the payer's, spent once for ever
  digest          text not null check (digest ~ '^0x[0-9a-f]{64}$'), -- of all that was signed; the signature is not kept
  value_atomic    numeric(78, 0) not null check (value_atomic > 0),
  valid_before    bigint not null, -- Unix seconds; the token wants a block earlier than this
  from_block      bigint not null, -- the head when it was taken: it was not used before
  relayer         text, -- null: somebody else had broadcast it before us
  relayer_nonce   bigint,
  status          text not null default 'signed'
                  check (status in ('signed', 'mined', 'final', 'taken', 'canceled', 'reverted', 'lapsed')),
  tx_hash         text, -- of what carries it out, now
  created_at      timestamptz not null default now(),
  ended_at        timestamptz,
  constraint authorizations_once unique (chain_id, token_address, payer, nonce),
  constraint authorizations_of_relayer unique (chain_id, relayer, relayer_nonce),
  constraint authorizations_relayer_and_nonce check ((relayer is null) = (relayer_nonce is null)),
  constraint authorizations_end check ((status in ('signed', 'mined')) = (ended_at is null)),
  constraint authorizations_hash check (status not in ('mined', 'final', 'taken') or tx_hash is not null),
  foreign key (chain_id, relayer) references relayers
);

-- Whatever else fails: never two that may still be carried out for one charge.
create unique index authorizations_one_live_of_charge on authorizations (charge_id) where status in ('signed', 'mined');
create index authorizations_of_charge on authorizations (charge_id, id);
create index authorizations_under_way on authorizations (chain_id, id) where status in ('signed', 'mined');
create index authorizations_of_organization on authorizations (organization_id, chain_id, created_at);
create index authorizations_of_payer on authorizations (payer, id) where status in ('signed', 'reverted');

-- Nobody carries out for one charge what was signed for another, and none for a charge on no chain.
create function require_possible_authorization() returns trigger
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

create trigger authorizations_are_possible before insert on authorizations
  for each row execute function require_possible_authorization();

grant select on authorizations to svc_operator;
-- What the API shows, and what tells it whether another one can be taken.
grant select (id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest, relayer, status, tx_hash,
    valid_before, created_at, ended_at) on authorizations to svc_api;
grant select, insert on authorizations to svc_daemon;
-- What was signed stays what was signed.
grant update (status, tx_hash, ended_at) on authorizations to svc_daemon;
