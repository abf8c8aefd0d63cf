-- Transfers and events of our addresses on the chains. A row's identity survives a reorganization: it contains the
-- ordinal of a transfer among its token's transfers to this charge in its transaction, never the log index, which
-- changes on re-inclusion.
--
-- These columns mean the same in all three tables: `agreed_at`, `agreed_by`: when, and by which operators, a quorum
-- showed the row. Only such a row counts (decisions 9.1); any other row is the report of one node. Both are cleared
-- when the row changes. Besides operators, `agreed_by` may contain `trusted:NODE`, if an operator's order let one node
-- decide; such rows are verified again later. The same applies to `before-quorum`. `denied_block_hash`: the block that
-- a quorum shows without this row. The row is then `orphaned`, although the feed still shows it.
-- `corroborated_block_hash`: the block that reconciliation found at confirmation depth. While it equals the row's own
-- block, the row is at depth regardless of the feed's head, so that money is credited and settled while Ponder is down.
-- `checked_at`: when a missing row was last checked. The row with the oldest check comes first; otherwise twenty rows
-- about which no node responds would keep all others from being checked. `ponder_schema`: the schema that last showed
-- the row; a row is missing only if this schema no longer shows it.
--
-- A query that the daemon repeats every few seconds must read only the waiting rows, not all rows ever written. Each
-- such query has a partial index of its waiting rows, in the query's order. With another order, PostgreSQL may walk the
-- primary key instead.
create table transfers (
  id                      bigint generated always as identity primary key,
  charge_id               text not null references charges,
  network                 text not null,
  token                   text not null,
  source                  text not null check (source in
                    ('contract_watcher', 'tron_watcher', 'reconciliation_job', 'sandbox')),
  chain_id                bigint references deployments,
  token_address           text,
  tx_hash                 text,
  ordinal                 int,
  request_id              text unique, -- identity of a sandbox credit

  sender                  text,
  value_atomic            numeric(78, 0) not null check (value_atomic > 0),
  amount_atto             numeric(78, 0) not null check (amount_atto > 0),
  accepted                boolean not null, -- whether the charge accepts the pair; other rows are never credited
  -- Why the transfer is never credited. A charge's own money that returns from its split or its Safe is not a payment.
  rejection_reason        text check (rejection_reason in ('pair_not_accepted', 'own_money')),

  -- The row's place in the canonical chain.
  inclusion               text not null check (inclusion in ('included', 'missing', 'orphaned')),
  block_number            bigint,
  block_hash              text,
  block_timestamp         bigint,
  log_index               int,
  ponder_schema           text,
  missing_since           timestamptz,
  checked_at              timestamptz not null default '-infinity',
  corroborated_block_hash text,
  agreed_at               timestamptz,
  agreed_by               text[],
  denied_block_hash       text,

  detected_at             timestamptz not null default now(),
  credited_at             timestamptz,
  on_time                 boolean, -- mined before expiresAt; set when credited
  caused_transition       boolean not null default false,

  unique (chain_id, tx_hash, token_address, charge_id, ordinal),
  check ((source = 'sandbox') = (chain_id is null)),
  check (chain_id is null or (token_address is not null and tx_hash is not null and ordinal is not null
         and block_number is not null)),
  check (credited_at is null or accepted),
  check (rejection_reason is null or not accepted),
  check ((agreed_at is null) = (agreed_by is null))
);

create index transfers_of_charge on transfers (charge_id, id);
create index transfers_not_final on transfers (chain_id, block_number) where inclusion <> 'orphaned';
create index transfers_missing on transfers (chain_id, checked_at, id) where inclusion = 'missing';
-- Not credited yet: due at depth, notified with a new head, or missing and delaying an expiry. The index does not
-- contain the block number, because reconciliation determines the depth without it
-- (shared/db/chain-facts/daemon/at-depth.ts). It has one key column: with several, the planner assumes less correlation
-- with the table's order, and if there is a backlog, it walks the primary key through every transfer ever credited.
create index transfers_uncredited on transfers (id) include (chain_id)
  where credited_at is null and accepted and inclusion <> 'orphaned';
-- Finds the last transfer that a feed inserted, regardless of the number of later transfers.
create index transfers_of_feed on transfers (id) where source in ('contract_watcher', 'tron_watcher');
-- For metrics, which read a range of time. Transfers are inserted in the order of time, so the earliest and the latest
-- time of each 256 kB are sufficient. Without this index, reading 40 rows after 200,000 charges took 80 ms.
create index transfers_by_time on transfers using brin (detected_at) with (pages_per_range = 32, autosummarize = on);
create index transfers_to_verify on transfers (chain_id, id)
  where agreed_by is not null and (agreed_by[1] = 'before-quorum' or agreed_by[1] like 'trusted:%');
create index transfers_denied on transfers (chain_id, block_number) where denied_block_hash is not null;

-- Rejects a simulated payment of a live charge. A trigger, because it must hold against a defective or stolen daemon.
create function validate_sandbox_transfer() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from charges c where c.id = new.charge_id and c.environment = 'test') then
    raise exception 'transfer of the sandbox to %, which is live', new.charge_id using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger transfers_require_sandbox_charge before insert on transfers
  for each row when (new.source = 'sandbox') execute function validate_sandbox_transfer();

-- SplitDistributed, PayoutHeld and PayoutReleased of our splits.
create table split_events (
  id                      bigint generated always as identity primary key,
  charge_id               text not null references charges,
  kind                    text not null check (kind in ('distributed', 'held', 'released')),
  chain_id                bigint not null references deployments,
  token_address           text not null,
  tx_hash                 text not null,
  ordinal                 int not null, -- among the events of this kind, split and token in the transaction
  account                 text not null, -- the distributor, or the recipient
  amount_atomic           numeric(78, 0) not null check (amount_atomic >= 0),
  inclusion               text not null check (inclusion in ('included', 'missing', 'orphaned')),
  block_number            bigint not null,
  block_hash              text not null,
  block_timestamp         bigint not null,
  log_index               int not null,
  ponder_schema           text,
  missing_since           timestamptz,
  checked_at              timestamptz not null default '-infinity',
  corroborated_block_hash text,
  agreed_at               timestamptz,
  agreed_by               text[],
  denied_block_hash       text,
  detected_at             timestamptz not null default now(),
  notified_at             timestamptz, -- when the payout was notified of a distribution, before it is at depth
  applied_at              timestamptz, -- when it was counted in the pair's ledger, at depth
  unique (chain_id, tx_hash, token_address, charge_id, kind, ordinal),
  check ((agreed_at is null) = (agreed_by is null))
);

create index split_events_of_charge on split_events (charge_id, id);
create index split_events_not_final on split_events (chain_id, block_number) where inclusion <> 'orphaned';
create index split_events_missing on split_events (chain_id, checked_at, id) where inclusion = 'missing';
-- Not counted yet. Includes rows that were orphaned after they were announced, because the query for payout updates
-- reads them.
create index split_events_unapplied on split_events (id) where applied_at is null;
create index split_events_to_verify on split_events (chain_id, id)
  where agreed_by is not null and (agreed_by[1] = 'before-quorum' or agreed_by[1] like 'trusted:%');
create index split_events_denied on split_events (chain_id, block_number) where denied_block_hash is not null;

-- Transfers of an accepted token out of a charge's Safe, into its split or to any other account. They are identified in
-- the same way as transfers.
create table escrow_transfers (
  id                      bigint generated always as identity primary key,
  charge_id               text not null references charges,
  action                  text not null check (action in ('release', 'refund')),
  chain_id                bigint not null references deployments,
  token_address           text not null,
  tx_hash                 text not null,
  ordinal                 int not null, -- among the token's transfers out of this Safe in the transaction, with zeros
  recipient               text not null,
  amount_atomic           numeric(78, 0) not null,
  -- A Safe on Arc can send the native coin, also in amounts below a unit of the token. In 10^-18 dollars.
  dust_atto               numeric(18, 0) not null default 0 check (dust_atto >= 0),
  inclusion               text not null check (inclusion in ('included', 'missing', 'orphaned')),
  block_number            bigint not null,
  block_hash              text not null,
  block_timestamp         bigint not null,
  log_index               int not null,
  ponder_schema           text,
  missing_since           timestamptz,
  checked_at              timestamptz not null default '-infinity',
  corroborated_block_hash text,
  agreed_at               timestamptz,
  agreed_by               text[],
  denied_block_hash       text,
  detected_at             timestamptz not null default now(),
  applied_at              timestamptz, -- when it was applied to the charge, at depth
  unique (chain_id, tx_hash, token_address, charge_id, ordinal),
  constraint escrow_transfers_amount_check check (amount_atomic >= 0 and amount_atomic + dust_atto > 0),
  check ((agreed_at is null) = (agreed_by is null))
);

create index escrow_transfers_of_charge on escrow_transfers (charge_id, id);
create index escrow_transfers_not_final on escrow_transfers (chain_id, block_number) where inclusion <> 'orphaned';
create index escrow_transfers_missing on escrow_transfers (chain_id, checked_at, id) where inclusion = 'missing';
create index escrow_transfers_unapplied on escrow_transfers (id) where applied_at is null and inclusion = 'included';
create index escrow_transfers_to_verify on escrow_transfers (chain_id, id)
  where agreed_by is not null and (agreed_by[1] = 'before-quorum' or agreed_by[1] like 'trusted:%');
create index escrow_transfers_denied on escrow_transfers (chain_id, block_number) where denied_block_hash is not null;

-- Dead letters: logs that move our charges' money by an amount that exceeds its column, such as 10^66 units of a token
-- that anyone can mint. They are reported once. They credit nothing, and they delay no other row.
create table dead_letter_logs (
  chain_id   bigint not null references deployments,
  tx_hash    text not null,
  log_index  numeric not null,
  charge_id  text not null references charges,
  reason     text not null, -- the field, its value and the limit
  created_at timestamptz not null default now(),
  primary key (chain_id, tx_hash, log_index)
);

grant select on transfers, split_events, escrow_transfers to svc_api, svc_operator;
grant select on dead_letter_logs to svc_operator;
-- A row may be included again in another block, but its charge and its identity never change.
grant select, insert on transfers, split_events, escrow_transfers, dead_letter_logs to svc_daemon;
grant update (sender, value_atomic, amount_atto, accepted, rejection_reason, inclusion, block_number, block_hash,
    block_timestamp, log_index, ponder_schema, missing_since, checked_at, corroborated_block_hash, credited_at, on_time,
    caused_transition)
  on transfers to svc_daemon;
grant update (account, amount_atomic, inclusion, block_number, block_hash, block_timestamp, log_index, ponder_schema,
    missing_since, checked_at, corroborated_block_hash, notified_at, applied_at) on split_events to svc_daemon;
grant update (action, recipient, amount_atomic, dust_atto, inclusion, block_number, block_hash, block_timestamp,
    log_index, ponder_schema, missing_since, checked_at, corroborated_block_hash, applied_at) on escrow_transfers to svc_daemon;
grant update (agreed_at, agreed_by, denied_block_hash) on transfers, split_events, escrow_transfers to svc_daemon;
